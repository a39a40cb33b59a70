package shape

import (
	"errors"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// EyeLike is a matrix of the input's shape with 1 on a diagonal and 0
// elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__EyeLike.html
var EyeLike = &op.Op{
	Name:  "EyeLike",
	Since: []int{9, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int},
		{Name: "k", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.NumbersOrBools}},
	Outputs: []op.Port{{Name: "output", Types: elem.NumbersOrBools}},
	Infer:   inferEyeLike,
	Grad:    op.ZeroGrad,
	Lower:   lowerEyeLike,
	Expand:  expandEyeLike,
	Expands: func(n *ir.Node) bool { d := n.Out[0].Type.Elem; return d == tensor.Bool || d.IsSmallFloat() },
}

func inferEyeLike(c *op.Infer) error {
	x, err := c.Rank(op.X, 2)
	if err != nil {
		return err
	}
	to, err := op.DtypeAttr(c.Node, "dtype", x.Elem)
	if err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	elems := elem.Numbers.Or("a number or bool", elem.Bools)
	return errors.Join(c.CheckElems(op.X, elems), elems.CheckAttr("dtype", to))
}

func lowerEyeLike(l *op.Lowering) error {
	l.Call("EyeLike", l.Out[0], op.Shape(l.Out[0])[1], l.Int("k"))
	return nil
}

// expandEyeLike casts from a type that the kernel has.
func expandEyeLike(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	eye := b.OpA("EyeLike", ir.Attrs{{Name: "dtype", Value: int64(tensor.Uint8)}, {Name: "k", Value: n.Int64("k")}}, n.In[op.X])
	return []*ir.Value{op.Cast(b, eye, n.Out[0].Type.Elem)}, nil
}
