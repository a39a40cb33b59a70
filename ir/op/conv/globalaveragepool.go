package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GlobalAveragePool is the mean of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
var GlobalAveragePool = &op.Op{
	Name:    "GlobalAveragePool",
	Since:   []int{1, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalPool,
	Grad:    globalAveragePoolGrad,
	Lower:   globalPool("GlobalAveragePool"),
	Last:    &op.LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   op.PerInput(1),
}

// dx = dy/count
func globalAveragePoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	return []*ir.Value{b.Op("Expand", b.Op("Div", dy[0], op.CountOf(b, x, n.Out[0])), op.ShapeOf(b, x))}
}
