package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// upgradeBroadcast brings the broadcast and axis attributes of opset 6 and
// older to numpy's rules, by giving the second operand trailing axes.
func upgradeBroadcast(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 7 {
		return nil
	}
	axis, set := n.Int("axis"), n.Has("axis")
	n.Attrs.Delete("axis")
	n.Attrs.Delete("broadcast")
	n.Attrs.Delete("consumed_inputs")
	if !set || len(n.In) != 2 || n.In[op.A] == nil || n.In[op.B] == nil {
		return nil
	}
	x, y := n.In[op.A].Type, n.In[op.B].Type
	if !x.Ranked || !y.Ranked {
		return fmt.Errorf("axis is set on operands of unknown rank")
	}
	axis, err := op.Axis(axis, len(x.Shape))
	if err != nil {
		return err
	}
	if trailing := len(x.Shape) - axis - len(y.Shape); trailing > 0 {
		axes := make([]int, trailing)
		for i := range axes {
			axes[i] = len(y.Shape) + i
		}
		n.In[op.B] = b.Op("Unsqueeze", n.In[op.B], b.Ints(axes...))
	}
	return nil
}
