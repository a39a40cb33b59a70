package op

import "github.com/bbgen/bbgen/ir"

// HardSwish is x·max(0, min(1, x/6+1/2)).
//
// https://onnx.ai/onnx/operators/onnx__HardSwish.html
var HardSwish = &Op{
	Name:    "HardSwish",
	Since:   []int{14, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    hardSwishGrad,
	Lower:   unary("HardSwish"),
	InPlace: true,
	Act:     plain("HardSwish"),
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·(x/3+1/2) between -3 and 3, 0 below, dy above
func hardSwishGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, half := n.In[0], scalarLike(b, n.In[0], 0.5)
	slope := b.Op("Add", b.Op("Div", x, scalarLike(b, x, 3)), half)
	top := b.Op("Where", b.Op("Less", x, scalarLike(b, x, 3)), b.Op("Mul", dy[0], slope), dy[0])
	return []*ir.Value{where(b, b.Op("Greater", x, scalarLike(b, x, -3)), top)}
}
