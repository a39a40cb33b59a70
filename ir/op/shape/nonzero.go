package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// NonZero is the indices of the elements that are not zero, with a row for each axis.
//
// https://onnx.ai/onnx/operators/onnx__NonZero.html
var NonZero = &op.Op{
	Name:    "NonZero",
	Since:   []int{9, 13},
	Inputs:  []op.Port{{Name: "X", Types: elem.Any}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Int64s}},
	Infer:   inferNonZero,
	Lower:   lowerNonZero,
	Widen:   true,
	Stops:   op.StopToIntegers,
}

func inferNonZero(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	c.OutTensor(0, tensor.Int64, ir.C(len(x.Shape)), c.Fresh("count"))
	return err
}

func lowerNonZero(l *op.Lowering) error {
	l.Count(0, "NonZeroCount", l.In[op.X])
	l.Call("NonZero", l.Out[0], l.In[op.X], op.Shape(l.In[op.X]))
	return nil
}
