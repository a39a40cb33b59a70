package activation

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// HardSigmoid is max(0, min(1, alpha·x+beta)).
//
// https://onnx.ai/onnx/operators/onnx__HardSigmoid.html
var HardSigmoid = &op.Op{
	Name:  "HardSigmoid",
	Since: []int{1, 6, 22},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 0.2},
		{Name: "beta", Kind: op.Float, Default: 0.5},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    hardSigmoidGrad,
	Lower:   lowerHardSigmoid,
	InPlace: true,
	Act:     actHardSigmoid,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerHardSigmoid(l *op.Lowering) error {
	l.Each("HardSigmoid", l.Out[0], l.In[op.X], l.Float("alpha"), l.Float("beta"))
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
	slope := b.Op("And", b.Op("Greater", y, op.ScalarLike(b, y, 0)), b.Op("Less", y, op.ScalarLike(b, y, 1)))
	return []*ir.Value{op.ZeroUnless(b, slope, b.Op("Mul", dy[0], op.ScalarLike(b, y, n.Float("alpha"))))}
}

// sixth reports whether x is 1/6 as files write it.
func sixth(x float64) bool { return math.Abs(x-1./6) < 1e-7 }
