package op

import (
	"github.com/bbgen/bbgen/ir"
)

// Gelu is x times the normal distribution's cumulative function, or tanh's
// approximation of it.
//
// https://onnx.ai/onnx/operators/onnx__Gelu.html
var Gelu = &Op{
	Name:    "Gelu",
	Since:   []int{20},
	Attrs:   []Attr{{Name: "approximate", Kind: String, Default: "none", Values: []string{"none", "tanh"}}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    geluGrad,
	Lower:   lowerGelu,
	InPlace: true,
	Act:     actGelu,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerGelu(l *Lowering) error {
	kernel := "Gelu"
	if l.Str("approximate") == "tanh" {
		kernel = "GeluTanh"
	}
	l.Each(kernel, l.Out[0], l.In[0])
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
	return []*ir.Value{own(b, "GeluGrad", n.Attrs, dy[0], n.In[0])}
}
