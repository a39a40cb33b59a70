package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Normalizer divides each row by its norm.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
var Normalizer = &Op{
	Name:    "Normalizer",
	Domain:  mlDomain,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "norm", Kind: String, Default: "MAX", Values: []string{"MAX", "L1", "L2"}}},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferNormalizer,
	Lower: func(l *Lowering) error {
		l.Call("NormalizeRows", l.Out[0], l.In[0], l.Str("norm"), width(l.In[0]))
		return nil
	},

	Expand:  expandNormalizer,
	Expands: never,
}

func inferNormalizer(c *Infer) error {
	if _, _, err := c.rows(); err != nil {
		return err
	}
	c.OutTensor(0, tensor.Float32, Shape(c.In[0])...)
	return nil
}

// y = x / norm(x), row by row; a norm of 0 counts as 1
func expandNormalizer(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := castTo(b, n.In[0], tensor.Float32)
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
	none := b.Op("Equal", norm, scalarLike(b, x, 0))
	return []*ir.Value{b.Op("Div", x, b.Op("Where", none, scalarLike(b, x, 1), norm))}, nil
}
