package op

import "github.com/bbgen/bbgen/ir"

// Log is the natural logarithm.
//
// https://onnx.ai/onnx/operators/onnx__Log.html
var Log = &Op{
	Name:    "Log",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    logGrad,
	Lower:   unary("Log"),
	InPlace: true,
	Widen:   true,
	Precise: []int{0},

	Pointwise: everyNode,
}

// dx = dy/x
func logGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], n.In[0])}
}
