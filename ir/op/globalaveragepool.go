package op

import "github.com/bbgen/bbgen/ir"

// GlobalAveragePool is the mean of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
var GlobalAveragePool = &Op{
	Name:    "GlobalAveragePool",
	Since:   []int{1, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalPool,
	Grad:    globalAveragePoolGrad,
	Lower:   globalPool("GlobalAveragePool"),
	Last:    &LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   perInput(1),
}

// dx = dy/count
func globalAveragePoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	return []*ir.Value{b.Op("Expand", b.Op("Div", dy[0], countOf(b, x, n.Out[0])), shapeOf(b, x))}
}
