package op

import "github.com/bbgen/bbgen/ir"

// GlobalMaxPool is the largest element of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
var GlobalMaxPool = &Op{
	Name:    "GlobalMaxPool",
	Since:   []int{1, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalPool,
	Grad:    globalMaxPoolGrad,
	Lower:   globalPool("GlobalMaxPool"),
	Last:    &LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   perInput(1),
}

// dx = dy at the first largest element
func globalMaxPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	flat := b.Op("Reshape", x, b.Ints(0, 0, -1))
	at := b.OpA("ArgMax", attr("axis", 2), flat)
	dx := b.OpA("ScatterElements", attr("axis", 2), Fill(b, flat, 0), at, b.Op("Reshape", dy[0], b.Ints(0, 0, 1)))
	return []*ir.Value{reshapeLike(b, dx, x)}
}
