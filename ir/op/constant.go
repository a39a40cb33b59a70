package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Constant is a value that the file gives. Its output is a constant as soon as
// it is inferred, so that no code runs.
//
// https://onnx.ai/onnx/operators/onnx__Constant.html
var Constant = &Op{
	Name:  "Constant",
	Since: []int{1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
	Attrs: []Attr{
		{Name: "sparse_value", Kind: Sparse, Since: 11},
		{Name: "value", Kind: Tensor, Required: true, Until: 11},
		{Name: "value", Kind: Tensor, Since: 11},
		{Name: "value_float", Kind: Float, Since: 12},
		{Name: "value_floats", Kind: Floats, Since: 12},
		{Name: "value_int", Kind: Int, Since: 12},
		{Name: "value_ints", Kind: Ints, Since: 12},
		{Name: "value_string", Kind: String, Since: 12},
		{Name: "value_strings", Kind: Strings, Since: 12},
	},
	Outputs: []Port{{Name: "output", Types: anyElem}},
	Infer:   inferConstant,
	Lower:   func(*Lowering) error { return nil },
	Stops:   noInputs,
}

func inferConstant(c *Infer) error {
	t, err := constantValue(c.Node)
	if err != nil {
		return err
	}
	c.OutTensor(0, t.DType, ir.Cs(t.Shape...)...)
	if v := c.Res(0); v != nil {
		v.Const = t
	}
	return nil
}

// constantValue is the tensor that one of the node's attributes gives.
func constantValue(n *ir.Node) (*tensor.Tensor, error) {
	if len(n.Attrs) != 1 {
		return nil, fmt.Errorf("has %d attributes, want one value", len(n.Attrs))
	}
	a := n.Attrs[0]
	switch a.Name {
	case "value", "sparse_value", "value_int", "value_ints", "value_float", "value_floats", "value_string", "value_strings":
	default:
		return nil, fmt.Errorf("attribute %q gives no value", a.Name)
	}
	switch v := a.Value.(type) {
	case *tensor.Tensor:
		return v, nil
	case int64:
		return tensor.Of([]int64{v}), nil
	case []int64:
		return tensor.Of(v, len(v)), nil
	case float64:
		return tensor.Of([]float32{float32(v)}), nil
	case []float64:
		f := make([]float32, len(v))
		for i, x := range v {
			f[i] = float32(x)
		}
		return tensor.Of(f, len(f)), nil
	case string:
		return tensor.Of([]string{v}), nil
	case []string:
		return tensor.Of(v, len(v)), nil
	}
	return nil, fmt.Errorf("attribute %q has no value", a.Name)
}
