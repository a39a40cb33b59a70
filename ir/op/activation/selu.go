package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Selu is gamma·x, or gamma·alpha·(eˣ-1) below 0.
//
// https://onnx.ai/onnx/operators/onnx__Selu.html
var Selu = &op.Op{
	Name:  "Selu",
	Since: []int{1, 6, 22},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 1.6732, Until: 6},
		{Name: "alpha", Kind: op.Float, Default: 1.67326319217681884765625, Since: 6},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
		{Name: "gamma", Kind: op.Float, Default: 1.0507, Until: 6},
		{Name: "gamma", Kind: op.Float, Default: 1.05070102214813232421875, Since: 6},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Upgrade: upgradeSelu,
	Grad:    seluGrad,
	Lower:   lowerSelu,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// upgradeSelu writes down the coefficients that were the defaults at first.
func upgradeSelu(_ *ir.Builder, n *ir.Node) error {
	n.Attrs.Set("alpha", n.Float("alpha"))
	n.Attrs.Set("gamma", n.Float("gamma"))
	return nil
}

// seluCoefficients are alpha and gamma.
func seluCoefficients(n *ir.Node) (alpha, gamma float64) {
	return n.Float("alpha"), n.Float("gamma")
}

func lowerSelu(l *op.Lowering) error {
	alpha, gamma := seluCoefficients(l.Node)
	l.Each("Selu", l.Out[0], l.In[op.X], alpha, gamma)
	return nil
}

// dx = dy·gamma, or dy·(y+gamma·alpha) where x ≤ 0
func seluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	alpha, gamma := seluCoefficients(n)
	slope := b.Op("Add", n.Out[0], op.ScalarLike(b, x, gamma*alpha))
	slope = b.Op("Where", b.Op("Greater", x, op.ScalarLike(b, x, 0)), op.ScalarLike(b, x, gamma), slope)
	return []*ir.Value{b.Op("Mul", dy[0], slope)}
}
