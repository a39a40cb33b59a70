package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// CumSum adds up along an axis, which may be known only when the model runs.
//
// https://onnx.ai/onnx/operators/onnx__CumSum.html
var CumSum = &op.Op{
	Name:  "CumSum",
	Since: []int{11, 14},
	Attrs: []op.Attr{
		{Name: "exclusive", Kind: op.Int, Default: 0},
		{Name: "reverse", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{cumX: {Name: "x", Types: elem.Numbers}, cumAxis: {Name: "axis", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   inferCumulative,
	Grad:    cumSumGrad,
	Lower:   lowerCumulative("CumSum"),
	Widen:   true,
}

// dx = the sums of dy from the other end
func cumSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	attrs := op.Attrs("exclusive", n.Int("exclusive"), "reverse", 1-n.Int("reverse"))
	return []*ir.Value{b.OpA("CumSum", attrs, dy[0], n.In[cumAxis])}
}
