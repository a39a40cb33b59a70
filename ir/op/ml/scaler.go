package ml

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Scaler is (x - offset) · scale, with an offset and a scale for each feature.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
var Scaler = &op.Op{
	Name:   "Scaler",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "offset", Kind: op.Floats},
		{Name: "scale", Kind: op.Floats},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferScaler,
	Lower: func(l *op.Lowering) error {
		offset, scale := l.Floats32("offset", floatsOr(l.Floats("offset"), 0)), l.Floats32("scale", floatsOr(l.Floats("scale"), 1))
		l.Call("Scale", l.Out[0], l.In[op.X], offset, scale, width(l.In[op.X]))
		return nil
	},

	Expand:  expandScaler,
	Expands: op.Never,
}

func inferScaler(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Float32, x.Shape...)
	if err := perFeature(c, "offset", len(floatsOr(c.Floats("offset"), 0))); err != nil {
		return err
	}
	if err := perFeature(c, "scale", len(floatsOr(c.Floats("scale"), 1))); err != nil {
		return err
	}
	return nil
}

// floatsOr returns v, or a list of one element if v is empty.
func floatsOr(v []float64, def float64) []float64 {
	if len(v) == 0 {
		return []float64{def}
	}
	return v
}

// y = (x - offset) · scale
func expandScaler(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	offset, scale := floats32(b, floatsOr(n.Floats("offset"), 0)), floats32(b, floatsOr(n.Floats("scale"), 1))
	return []*ir.Value{b.Op("Mul", b.Op("Sub", op.CastTo(b, n.In[op.X], tensor.Float32), offset), scale)}, nil
}
