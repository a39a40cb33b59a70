package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ShapeOp (Shape) is the shape of its input as an int64 vector.
//
// https://onnx.ai/onnx/operators/onnx__Shape.html
var ShapeOp = &op.Op{
	Name:  "Shape",
	Since: []int{1, 13, 15, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "end", Kind: op.Int, Since: 15},
		{Name: "start", Kind: op.Int, Default: 0, Since: 15},
	},
	Inputs:  []op.Port{{Name: "data", Types: elem.Any}},
	Outputs: []op.Port{{Name: "shape", Types: elem.Int64s}},
	Infer:   inferShape,
	Lower: func(l *op.Lowering) error {
		l.Call("Ints", l.Out[0], l.Out[0].Elems)
		return nil
	},
	Stops: op.StopToIntegers,
}

func inferShape(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	rank := len(x.Shape)
	clamp := func(i int) int {
		if i < 0 {
			i += rank
		}
		return min(max(i, 0), rank)
	}
	start, end := clamp(c.Int("start")), clamp(c.IntOr("end", rank))
	dims := x.Shape[start:max(start, end)]
	c.OutTensor(0, tensor.Int64, ir.C(len(dims)))
	c.Know(0, dims)
	return nil
}
