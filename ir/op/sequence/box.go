package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Box gives a tensor a type without a rank, for an output of variable rank.
var Box = &op.Op{
	Name:    "Box",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "x", Types: elem.Any}},
	Outputs: []op.Port{{Name: "y"}},
	Infer: func(c *op.Infer) error {
		x, err := c.Tensor(op.X)
		c.Out(0, ir.AnyRankOf(x.Elem))
		return err
	},
	Lower: func(l *op.Lowering) error {
		l.Call("Box", l.Out[0], l.In[op.X], op.Shape(l.In[op.X]))
		return nil
	},
	Stops: op.StopLists,
}

// Boxes returns v without a rank in its type.
func Boxes(b *ir.Builder, v *ir.Value) *ir.Value { return op.OwnNode(b, "Box", nil, v) }
