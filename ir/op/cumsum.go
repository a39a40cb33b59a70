package op

import "github.com/bbgen/bbgen/ir"

// CumSum adds up along an axis, which may be known only when the model runs.
//
// https://onnx.ai/onnx/operators/onnx__CumSum.html
var CumSum = &Op{
	Name:  "CumSum",
	Since: []int{11, 14},
	Attrs: []Attr{
		{Name: "exclusive", Kind: Int, Default: 0},
		{Name: "reverse", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "x", Types: numbers}, {Name: "axis", Types: indices}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferCumulative,
	Grad:    cumSumGrad,
	Lower:   lowerCumulative("CumSum"),
	Widen:   true,
}

// dx = the sums of dy from the other end
func cumSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	attrs := attr("exclusive", n.Int("exclusive"), "reverse", 1-n.Int("reverse"))
	return []*ir.Value{b.OpA("CumSum", attrs, dy[0], n.In[1])}
}
