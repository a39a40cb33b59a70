package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Scaler is (x - offset) · scale, with an offset and a scale for each feature.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
var Scaler = &Op{
	Name:   "Scaler",
	Domain: mlDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "offset", Kind: Floats},
		{Name: "scale", Kind: Floats},
	},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferScaler,
	Lower: func(l *Lowering) error {
		offset, scale := l.floats32("offset", floatsOr(l.Floats("offset"), 0)), l.floats32("scale", floatsOr(l.Floats("scale"), 1))
		l.Call("Scale", l.Out[0], l.In[0], offset, scale, width(l.In[0]))
		return nil
	},

	Expand:  expandScaler,
	Expands: never,
}

func inferScaler(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Float32, x.Shape...)
	if err := c.perFeature("offset", len(floatsOr(c.Floats("offset"), 0))); err != nil {
		return err
	}
	if err := c.perFeature("scale", len(floatsOr(c.Floats("scale"), 1))); err != nil {
		return err
	}
	return nil
}

// floatsOr is v, or a list of one element if v is empty.
func floatsOr(v []float64, def float64) []float64 {
	if len(v) == 0 {
		return []float64{def}
	}
	return v
}

// y = (x - offset) · scale
func expandScaler(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	offset, scale := floats32(b, floatsOr(n.Floats("offset"), 0)), floats32(b, floatsOr(n.Floats("scale"), 1))
	return []*ir.Value{b.Op("Mul", b.Op("Sub", castTo(b, n.In[0], tensor.Float32), offset), scale)}, nil
}
