package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// NonZero is the indices of the elements that are not zero, an axis a row.
//
// https://onnx.ai/onnx/operators/onnx__NonZero.html
var NonZero = &Op{
	Name:    "NonZero",
	Since:   []int{9, 13},
	Inputs:  []Port{{Name: "X", Types: anyElem}},
	Outputs: []Port{{Name: "Y", Types: int64s}},
	Infer:   inferNonZero,
	Lower:   lowerNonZero,
	Widen:   true,
	Stops:   toIntegers,
}

func inferNonZero(c *Infer) error {
	x, err := c.Tensor(0)
	c.OutTensor(0, tensor.Int64, ir.C(len(x.Shape)), c.Fresh("count"))
	return err
}

func lowerNonZero(l *Lowering) error {
	l.Count(0, "NonZeroCount", l.In[0])
	l.Call("NonZero", l.Out[0], l.In[0], Shape(l.In[0]))
	return nil
}
