package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// HardSwish is x·max(0, min(1, x/6+1/2)).
//
// https://onnx.ai/onnx/operators/onnx__HardSwish.html
var HardSwish = &op.Op{
	Name:    "HardSwish",
	Since:   []int{14, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    hardSwishGrad,
	Lower:   op.Unary("HardSwish"),
	InPlace: true,
	Act:     op.ActsAs("HardSwish"),
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·(x/3+1/2) between -3 and 3, 0 below, dy above
func hardSwishGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, half := n.In[op.X], op.ScalarLike(b, n.In[op.X], 0.5)
	slope := b.Op("Add", b.Op("Div", x, op.ScalarLike(b, x, 3)), half)
	top := b.Op("Where", b.Op("Less", x, op.ScalarLike(b, x, 3)), b.Op("Mul", dy[0], slope), dy[0])
	return []*ir.Value{op.ZeroUnless(b, b.Op("Greater", x, op.ScalarLike(b, x, -3)), top)}
}
