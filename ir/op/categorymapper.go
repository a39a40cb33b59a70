package op

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// CategoryMapper turns strings into integers, and integers into strings.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
var CategoryMapper = &Op{
	Name:   "CategoryMapper",
	Domain: mlDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "cats_int64s", Kind: Ints},
		{Name: "cats_strings", Kind: Strings},
		{Name: "default_int64", Kind: Int, Default: -1},
		{Name: "default_string", Kind: String, Default: "_Unused"},
	},
	Inputs:  []Port{{Name: "X", Types: intOrString}},
	Outputs: []Port{{Name: "Y", Types: intOrString}},
	Infer:   inferCategoryMapper,
	Lower:   lowerCategoryMapper,
	Stops:   onStrings,
}

func inferCategoryMapper(c *Infer) error {
	x, err := c.Tensor(0)
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
		return fmt.Errorf("input %q is %s, want string or int64", c.In[0].Name, x.Elem)
	}
	return nil
}

func lowerCategoryMapper(l *Lowering) error {
	text, numbers := labels(l.Node, "cats"), l.Attrs.Lookup("cats_int64s").([]int64)
	other := otherLabel(l.Node, l.Out[0].Type.Elem)
	if l.In[0].Type.Elem == tensor.String {
		return l.encode(text, tensor.Of(numbers, len(numbers)), other)
	}
	return l.encode(tensor.Of(numbers, len(numbers)), text, other)
}
