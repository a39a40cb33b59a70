package random

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Multinomial draws indices of columns, for each row of logarithms of
// probabilities.
//
// https://onnx.ai/onnx/operators/onnx__Multinomial.html
var Multinomial = &op.Op{
	Name:  "Multinomial",
	Since: []int{7, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int, Default: 6},
		{Name: "sample_size", Kind: op.Int, Default: 1},
		{Name: "seed", Kind: op.Float},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Types: elem.Indices}},
	Infer:   inferMultinomial,
	Lower:   lowerMultinomial,
	Widen:   true,
	Random:  true,
	Stops:   op.StopToIntegers,
}

func inferMultinomial(c *op.Infer) error {
	x, err := c.Rank(op.X, 2)
	if err != nil {
		return err
	}
	to, err := op.DtypeAttr(c.Node, "dtype", tensor.Int32)
	if err != nil {
		return err
	}
	n := c.Int("sample_size")
	if n < 0 {
		return fmt.Errorf("sample_size is %d, want at least 0", n)
	}
	if err := elem.Indices.CheckAttr("dtype", to); err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape[0], ir.C(n))
	return nil
}

func lowerMultinomial(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	l.Call("Multinomial", l.Out[0], l.In[op.X], l.Scratch(tensor.Float64, x[1]), x[0], x[1], seed(l.Node))
	return nil
}
