package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Gelu is x times the normal distribution's cumulative function, or tanh's
// approximation of it.
//
// https://onnx.ai/onnx/operators/onnx__Gelu.html
var Gelu = &op.Op{
	Name:    "Gelu",
	Since:   []int{20},
	Attrs:   []op.Attr{{Name: "approximate", Kind: op.String, Default: "none", Values: []string{"none", "tanh"}}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    geluGrad,
	Lower:   lowerGelu,
	InPlace: true,
	Act:     actGelu,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerGelu(l *op.Lowering) error {
	kernel := "Gelu"
	if l.Str("approximate") == "tanh" {
		kernel = "GeluTanh"
	}
	l.Each(kernel, l.Out[0], l.In[op.X])
	return nil
}

func actGelu(n *ir.Node) string {
	if n.Str("approximate") == "tanh" {
		return "GeluTanh"
	}
	return "Gelu"
}

// dx = dy·gelu'(x)
func geluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "GeluGrad", n.Attrs, dy[0], n.In[op.X])}
}
