package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConstantOfShape returns a tensor of a given shape filled with one value, by default a float32 zero.
//
// https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
var ConstantOfShape = &op.Op{
	Name:   "ConstantOfShape",
	Since:  []int{9, 20, 21, 23, 24, 25},
	Attrs:  []op.Attr{{Name: "value", Kind: op.Tensor}},
	Inputs: []op.Port{{Name: "input", Types: elem.Indices}},
	Outputs: []op.Port{
		{Name: "output", Types: elem.Of(tensor.Float32, tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Bool, tensor.Float16, tensor.Float64, tensor.Uint32, tensor.Uint64, tensor.BFloat16, tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ, tensor.Uint4, tensor.Int4, tensor.Float4E2M1, tensor.Float8E8M0, tensor.Uint2, tensor.Int2)},
	},
	Infer:   inferConstantOfShape,
	Repeats: true,
	Expand:  expandConstantOfShape,
	Stops:   op.StopNoInputs,
}

func inferConstantOfShape(c *op.Infer) error {
	shape, err := c.Read(op.X)
	if err != nil {
		return err
	}
	if err := op.CheckNotNegative(shape); err != nil {
		return err
	}
	v, err := filler(c.Node)
	if err != nil {
		return err
	}
	shape = c.OutSizes(shape)
	c.OutTensor(0, v.DType, shape...)
	elems, ok := op.Content(&ir.Value{Const: v})
	if n, static := ir.Size(shape).Const(); ok && static && len(shape) == 1 && n <= op.MaxElems {
		c.Know(0, repeatDim(elems[0], n))
	}
	return nil
}

// filler returns the value as a scalar.
func filler(n *ir.Node) (*tensor.Tensor, error) {
	v := n.TensorAttr("value")
	switch {
	case v == nil:
		return tensor.New(tensor.Float32), nil
	case v.Len() != 1:
		return nil, fmt.Errorf("value is %s, want one element", v)
	}
	return &tensor.Tensor{DType: v.DType, Data: v.Data}, nil
}

func expandConstantOfShape(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	v, err := filler(n)
	if err != nil {
		return nil, err
	}
	return []*ir.Value{op.Instead(b, n, "Expand", nil, b.Const(v), n.In[op.X])}, nil
}
