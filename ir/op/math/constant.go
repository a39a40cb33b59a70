package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Constant is a value in the file. Its output becomes a constant when it is inferred, so that no code runs.
//
// https://onnx.ai/onnx/operators/onnx__Constant.html
var Constant = &op.Op{
	Name:  "Constant",
	Since: []int{1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "sparse_value", Kind: op.Sparse, Since: 11},
		{Name: "value", Kind: op.Tensor, Required: true, Until: 11},
		{Name: "value", Kind: op.Tensor, Since: 11},
		{Name: "value_float", Kind: op.Float, Since: 12},
		{Name: "value_floats", Kind: op.Floats, Since: 12},
		{Name: "value_int", Kind: op.Int, Since: 12},
		{Name: "value_ints", Kind: op.Ints, Since: 12},
		{Name: "value_string", Kind: op.String, Since: 12},
		{Name: "value_strings", Kind: op.Strings, Since: 12},
	},
	Outputs: []op.Port{{Name: "output", Types: elem.Any}},
	Infer:   inferConstant,
	Lower:   func(*op.Lowering) error { return nil },
	Stops:   op.StopNoInputs,
}

func inferConstant(c *op.Infer) error {
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

// constantValue returns the tensor in one of the node's attributes.
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
