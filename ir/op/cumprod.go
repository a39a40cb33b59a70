package op

import "github.com/bbgen/bbgen/ir"

// CumProd multiplies along an axis, which may be known only when the model
// runs.
//
// https://onnx.ai/onnx/operators/onnx__CumProd.html
var CumProd = &Op{
	Name:  "CumProd",
	Since: []int{26},
	Attrs: []Attr{
		{Name: "exclusive", Kind: Int, Default: 0},
		{Name: "reverse", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "x", Types: numbers}, {Name: "axis", Types: indices}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferCumulative,
	Grad:    cumProdGrad,
	Lower:   lowerCumulative("CumProd"),
	Widen:   true,
}

// dx = Σ dy·the product of the others, over the products that x is in
func cumProdGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "CumProdGrad", n.Attrs, dy[0], n.In[0], n.In[1])}
}
