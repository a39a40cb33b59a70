package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Gelu is x times the normal distribution's cumulative function, or tanh's
// approximation of it.
//
// https://onnx.ai/onnx/operators/onnx__Gelu.html
var Gelu = &Op{
	Name:    "Gelu",
	Since:   []int{20},
	In:      One,
	Out:     One,
	Infer:   inferGelu,
	Grad:    geluGrad,
	Lower:   lowerGelu,
	InPlace: true,
	Act:     actGelu,
	Widen:   true,
}

func inferGelu(c *Infer) error {
	if a := c.Str("approximate", "none"); a != "none" && a != "tanh" {
		return fmt.Errorf("approximate is %q, want none or tanh", a)
	}
	return sameAs(floats)(c)
}

func lowerGelu(l *Lowering) error {
	kernel := "Gelu"
	if l.Str("approximate", "none") == "tanh" {
		kernel = "GeluTanh"
	}
	l.Each(kernel, l.Out[0], l.In[0])
	return nil
}

func actGelu(n *ir.Node) string {
	if n.Str("approximate", "none") == "tanh" {
		return "GeluTanh"
	}
	return "Gelu"
}

// dx = dy·gelu'(x)
func geluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "GeluGrad", n.Attrs, dy[0], n.In[0])}
}
