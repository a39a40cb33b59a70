package ml

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// OneHotEncoder turns each element into a row with a 1 at its category.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
var OneHotEncoder = &op.Op{
	Name:   "OneHotEncoder",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "cats_int64s", Kind: op.Ints},
		{Name: "cats_strings", Kind: op.Strings},
		{Name: "zeros", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers.With(elem.Strings)}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferOneHotEncoder,
	Lower:   lowerOneHotEncoder,
	Stops:   op.StopStepwise,
}

func inferOneHotEncoder(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	n := len(c.Ints("cats_int64s"))
	if x.Elem == tensor.String {
		n = len(c.Strs("cats_strings"))
	} else if err := c.CheckElems(op.X, numbers); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("has no categories for elements of type %s", x.Elem)
	}
	c.OutTensor(0, tensor.Float32, append(slices.Clone(x.Shape), ir.C(n))...)
	return nil
}

func lowerOneHotEncoder(l *op.Lowering) error {
	zeros := l.Int("zeros") != 0
	if l.In[op.X].Type.Elem == tensor.String {
		l.Call("OneHotStrings", l.Out[0], l.In[op.X], l.Strings("cats", l.Strs("cats_strings")), zeros)
		return nil
	}
	l.Call("OneHotCategories", l.Out[0], l.In[op.X], l.Int64s("cats", l.Ints("cats_int64s")), zeros)
	return nil
}
