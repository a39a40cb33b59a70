package op

import "github.com/bbgen/bbgen/ir"

// Selu is gamma·x, or gamma·alpha·(eˣ-1) below 0.
//
// https://onnx.ai/onnx/operators/onnx__Selu.html
var Selu = &Op{
	Name:    "Selu",
	Since:   []int{1, 6, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Upgrade: upgradeSelu,
	Lower:   lowerSelu,
	InPlace: true,
	Widen:   true,
}

// upgradeSelu writes down the coefficients that were the defaults at first.
func upgradeSelu(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 6 {
		n.Attrs.Set("alpha", n.Float("alpha", 1.6732))
		n.Attrs.Set("gamma", n.Float("gamma", 1.0507))
	}
	return nil
}

func lowerSelu(l *Lowering) error {
	// The defaults are float32 numbers in the specification.
	l.Call("Selu", l.Out[0], l.In[0], l.Float("alpha", 1.67326319217681884765625), l.Float("gamma", 1.05070102214813232421875))
	return nil
}
