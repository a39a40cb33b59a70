package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Log is the natural logarithm.
//
// https://onnx.ai/onnx/operators/onnx__Log.html
var Log = &op.Op{
	Name:    "Log",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    logGrad,
	Lower:   op.Unary("Log"),
	InPlace: true,
	Widen:   true,
	Precise: []int{0},

	Pointwise: op.Always,
}

// dx = dy/x
func logGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], n.In[op.X])}
}
