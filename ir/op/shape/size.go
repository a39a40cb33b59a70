package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SizeOp (Size) is the number of elements of its input.
//
// https://onnx.ai/onnx/operators/onnx__Size.html
var SizeOp = &op.Op{
	Name:    "Size",
	Since:   []int{1, 13, 19, 21, 23, 24, 25},
	Inputs:  []op.Port{{Name: "data", Types: elem.Any}},
	Outputs: []op.Port{{Name: "size", Types: elem.Int64s}},
	Infer:   inferSize,
	Lower: func(l *op.Lowering) error {
		l.Call("Ints", l.Out[0], []ir.Dim{op.Len(l.In[op.X])})
		return nil
	},
	Stops: op.StopToIntegers,
}

func inferSize(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Int64)
	c.Know(0, []ir.Dim{ir.Size(x.Shape)})
	return nil
}
