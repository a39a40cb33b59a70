package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// CumProd multiplies along an axis, which may be known only when the model
// runs.
//
// https://onnx.ai/onnx/operators/onnx__CumProd.html
var CumProd = &op.Op{
	Name:  "CumProd",
	Since: []int{26},
	Attrs: []op.Attr{
		{Name: "exclusive", Kind: op.Int, Default: 0},
		{Name: "reverse", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{cumX: {Name: "x", Types: elem.Numbers}, cumAxis: {Name: "axis", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   inferCumulative,
	Grad:    cumProdGrad,
	Lower:   lowerCumulative("CumProd"),
	Widen:   true,
}

// dx = Σ dy·the product of the others, over the products that contain x
func cumProdGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "CumProdGrad", n.Attrs, dy[0], n.In[cumX], n.In[cumAxis])}
}
