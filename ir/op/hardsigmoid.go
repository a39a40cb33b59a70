package op

import (
	"math"

	"github.com/bbgen/bbgen/ir"
)

// HardSigmoid is max(0, min(1, alpha·x+beta)).
//
// https://onnx.ai/onnx/operators/onnx__HardSigmoid.html
var HardSigmoid = &Op{
	Name:  "HardSigmoid",
	Since: []int{1, 6, 22},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Default: 0.2},
		{Name: "beta", Kind: Float, Default: 0.5},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    hardSigmoidGrad,
	Lower:   lowerHardSigmoid,
	InPlace: true,
	Act:     actHardSigmoid,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerHardSigmoid(l *Lowering) error {
	l.Each("HardSigmoid", l.Out[0], l.In[0], l.Float("alpha"), l.Float("beta"))
	return nil
}

func actHardSigmoid(n *ir.Node) string {
	if sixth(n.Float("alpha")) && n.Float("beta") == 0.5 {
		return "HardSigmoid"
	}
	return ""
}

// dx = dy·alpha where 0 < y < 1
func hardSigmoidGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	y := n.Out[0]
	slope := b.Op("And", b.Op("Greater", y, scalarLike(b, y, 0)), b.Op("Less", y, scalarLike(b, y, 1)))
	return []*ir.Value{where(b, slope, b.Op("Mul", dy[0], scalarLike(b, y, n.Float("alpha"))))}
}

// sixth reports whether x is 1/6 as files write it.
func sixth(x float64) bool { return math.Abs(x-1./6) < 1e-7 }
