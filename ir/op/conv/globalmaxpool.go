package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GlobalMaxPool is the largest element of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
var GlobalMaxPool = &op.Op{
	Name:    "GlobalMaxPool",
	Since:   []int{1, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalPool,
	Grad:    globalMaxPoolGrad,
	Lower:   globalPool("GlobalMaxPool"),
	Last:    &op.LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   op.PerInput(1),
}

// dx = dy at the first largest element
func globalMaxPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	flat := b.Op("Reshape", x, b.Ints(0, 0, -1))
	at := b.OpA("ArgMax", op.Attrs("axis", 2), flat)
	dx := b.OpA("ScatterElements", op.Attrs("axis", 2), op.Fill(b, flat, 0), at, b.Op("Reshape", dy[0], b.Ints(0, 0, 1)))
	return []*ir.Value{op.ReshapeLike(b, dx, x)}
}
