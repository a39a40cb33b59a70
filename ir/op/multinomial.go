package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Multinomial draws indices of columns, for each row of logarithms of
// probabilities.
//
// https://onnx.ai/onnx/operators/onnx__Multinomial.html
var Multinomial = &Op{
	Name:  "Multinomial",
	Since: []int{7, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int, Default: 6},
		{Name: "sample_size", Kind: Int, Default: 1},
		{Name: "seed", Kind: Float},
		{Name: "counter", Kind: String, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Types: indices}},
	Infer:   inferMultinomial,
	Lower:   lowerMultinomial,
	Widen:   true,
	Random:  true,
	Stops:   toIntegers,
}

func inferMultinomial(c *Infer) error {
	x, err := c.Rank(0, 2)
	if err != nil {
		return err
	}
	to, err := dtypeAttr(c.Node, "dtype", tensor.Int32)
	if err != nil {
		return err
	}
	n := c.Int("sample_size")
	if n < 0 {
		return fmt.Errorf("sample_size is %d, want at least 0", n)
	}
	if err := indices.checkType("dtype", to); err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape[0], ir.C(n))
	return nil
}

func lowerMultinomial(l *Lowering) error {
	x := Shape(l.In[0])
	l.Call("Multinomial", l.Out[0], l.In[0], l.Scratch(tensor.Float64, x[1]), x[0], x[1], seed(l.Node))
	return nil
}
