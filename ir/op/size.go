package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SizeOp (Size) is the number of elements of its input.
//
// https://onnx.ai/onnx/operators/onnx__Size.html
var SizeOp = &Op{
	Name:    "Size",
	Since:   []int{1, 13, 19, 21, 23, 24, 25},
	Inputs:  []Port{{Name: "data", Types: anyElem}},
	Outputs: []Port{{Name: "size", Types: int64s}},
	Infer:   inferSize,
	Lower: func(l *Lowering) error {
		l.Call("Ints", l.Out[0], []ir.Dim{Len(l.In[0])})
		return nil
	},
	Stops: toIntegers,
}

func inferSize(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Int64)
	c.Know(0, []ir.Dim{ir.Size(x.Shape)})
	return nil
}
