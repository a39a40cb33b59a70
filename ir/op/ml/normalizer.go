package ml

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Normalizer divides each row by its norm.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
var Normalizer = &op.Op{
	Name:    "Normalizer",
	Domain:  domain,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "norm", Kind: op.String, Default: "MAX", Values: []string{"MAX", "L1", "L2"}}},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferNormalizer,
	Lower: func(l *op.Lowering) error {
		l.Call("NormalizeRows", l.Out[0], l.In[op.X], l.Str("norm"), width(l.In[op.X]))
		return nil
	},

	Expand:  expandNormalizer,
	Expands: op.Never,
}

func inferNormalizer(c *op.Infer) error {
	if _, _, err := matrixSize(c); err != nil {
		return err
	}
	c.OutTensor(0, tensor.Float32, op.Shape(c.In[op.X])...)
	return nil
}

// y = x / norm(x), row by row; a norm of 0 counts as 1
func expandNormalizer(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := op.CastTo(b, n.In[op.X], tensor.Float32)
	axis := b.Ints(-1)
	var norm *ir.Value
	switch n.Str("norm") {
	case "MAX":
		norm = b.Op("ReduceMax", b.Op("Abs", x), axis)
	case "L1":
		norm = b.Op("ReduceL1", x, axis)
	default:
		norm = b.Op("ReduceL2", x, axis)
	}
	none := b.Op("Equal", norm, op.ScalarLike(b, x, 0))
	return []*ir.Value{b.Op("Div", x, b.Op("Where", none, op.ScalarLike(b, x, 1), norm))}, nil
}
