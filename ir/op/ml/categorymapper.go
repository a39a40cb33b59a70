package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CategoryMapper turns strings into integers, and integers into strings.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
var CategoryMapper = &op.Op{
	Name:   "CategoryMapper",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "cats_int64s", Kind: op.Ints},
		{Name: "cats_strings", Kind: op.Strings},
		{Name: "default_int64", Kind: op.Int, Default: -1},
		{Name: "default_string", Kind: op.String, Default: "_Unused"},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.IntegersOrStrings}},
	Outputs: []op.Port{{Name: "Y", Types: elem.IntegersOrStrings}},
	Infer:   inferCategoryMapper,
	Lower:   lowerCategoryMapper,
	Stops:   op.StopStrings,
}

func inferCategoryMapper(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if a, b := len(c.Ints("cats_int64s")), len(c.Strs("cats_strings")); a != b || a == 0 {
		return fmt.Errorf("has %d integer and %d string categories, want as many", a, b)
	}
	switch x.Elem {
	case tensor.String:
		c.OutTensor(0, tensor.Int64, x.Shape...)
	case tensor.Int64:
		c.OutTensor(0, tensor.String, x.Shape...)
	default:
		return fmt.Errorf("input %q is %s, want string or int64", c.In[op.X].Name, x.Elem)
	}
	return nil
}

func lowerCategoryMapper(l *op.Lowering) error {
	text, numbers := labels(l.Node, "cats"), l.Attrs.Lookup("cats_int64s").([]int64)
	other := otherLabel(l.Node, l.Out[0].Type.Elem)
	if l.In[op.X].Type.Elem == tensor.String {
		return encode(l, text, tensor.Of(numbers, len(numbers)), other)
	}
	return encode(l, tensor.Of(numbers, len(numbers)), text, other)
}
