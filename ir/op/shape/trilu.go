package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Trilu].
const (
	triluInput = iota
	triluK
)

// Trilu keeps the upper or the lower triangle of matrices.
//
// https://onnx.ai/onnx/operators/onnx__Trilu.html
var Trilu = &op.Op{
	Name:  "Trilu",
	Since: []int{14},
	Attrs: []op.Attr{{Name: "upper", Kind: op.Int, Default: 1}},
	Inputs: []op.Port{
		triluInput: {Name: "input", Types: elem.Any},
		triluK:     {Name: "k", Types: elem.Int64s, Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferTrilu,
	Grad:    triluGrad,
	Lower:   lowerTrilu,
	InPlace: true,
}

func inferTrilu(c *op.Infer) error {
	x, err := c.Tensor(triluInput)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want at least 2", c.In[triluInput].Name, len(x.Shape))
	}
	if k := c.Arg(triluK); k != nil && (k.Type.Elem != tensor.Int64 || !ir.Size(k.Type.Shape).Is(1)) {
		return fmt.Errorf("input %q is %s, want one int64", k.Name, k.Type)
	}
	c.Out(0, x)
	return nil
}

func lowerTrilu(l *op.Lowering) error {
	x := op.Shape(l.In[triluInput])
	l.Call("Trilu", l.Out[0], l.In[triluInput], l.Arg(triluK), x[len(x)-2], x[len(x)-1], l.Int("upper") != 0)
	return nil
}

// dx = the same triangle of dy
func triluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	in := append([]*ir.Value{dy[0]}, n.In[1:]...)
	return []*ir.Value{b.OpA("Trilu", n.Attrs, in...)}
}
