package activation

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [GeluGrad].
const (
	geluGradDy = iota
	geluGradX
)

// GeluGrad is dy·gelu'(x), for the form of [Gelu] that approximate says.
var GeluGrad = &op.Op{
	Name:    "GeluGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "approximate", Kind: op.String, Default: "none", Values: []string{"none", "tanh"}}},
	Inputs:  []op.Port{geluGradDy: {Name: "dy", Types: elem.Floats}, geluGradX: {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(0),
	Lower:   lowerGeluGrad,
	Stored:  []int{geluGradX},
	Expand:  expandGeluGrad,
	Expands: op.Never,
	InPlace: true,
	Widen:   true,
}

func lowerGeluGrad(l *op.Lowering) error {
	kernel := "GeluGrad"
	if l.Str("approximate") == "tanh" {
		kernel = "GeluTanhGrad"
	}
	l.Each(l.StoredKernel(kernel), l.Out[0], l.In[geluGradDy], l.In[geluGradX])
	return nil
}

// The derivative is Φ(x) + x·φ(x), or for t = tanh(u(x)) (1+t)/2 + x·(1-t²)·u'(x)/2
// where u(x) = √(2/π)·(x + 0.044715·x³).
func expandGeluGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := n.In[geluGradX]
	mul := func(v *ir.Value, f float64) *ir.Value { return b.Op("Mul", v, op.ScalarLike(b, x, f)) }
	add := func(v *ir.Value, f float64) *ir.Value { return b.Op("Add", v, op.ScalarLike(b, x, f)) }
	square := b.Op("Mul", x, x)
	var slope *ir.Value
	if n.Str("approximate") == "tanh" {
		c := math.Sqrt(2 / math.Pi)
		t := b.Op("Tanh", b.Op("Mul", x, add(mul(square, 0.044715*c), c)))
		inner := add(mul(square, 3*0.044715*c/2), c/2)
		bell := b.Op("Sub", op.ScalarLike(b, x, 1), b.Op("Mul", t, t))
		slope = b.Op("Add", mul(add(t, 1), 0.5), b.Op("Mul", b.Op("Mul", x, bell), inner))
	} else {
		below := mul(add(b.Op("Erf", mul(x, 1/math.Sqrt2)), 1), 0.5)
		bell := mul(b.Op("Exp", mul(square, -0.5)), 1/math.Sqrt(2*math.Pi))
		slope = b.Op("Add", below, b.Op("Mul", x, bell))
	}
	return []*ir.Value{b.Op("Mul", n.In[geluGradDy], slope)}, nil
}
