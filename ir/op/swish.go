package op

import "github.com/bbgen/bbgen/ir"

// Swish is x·sigmoid(alpha·x).
//
// https://onnx.ai/onnx/operators/onnx__Swish.html
var Swish = &Op{
	Name:    "Swish",
	Since:   []int{24},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerSwish,
	InPlace: true,
	Act:     actSwish,
	Widen:   true,
}

func lowerSwish(l *Lowering) error {
	l.Call("Swish", l.Out[0], l.In[0], l.Float("alpha", 1))
	return nil
}

func actSwish(n *ir.Node) string {
	if n.Float("alpha", 1) == 1 {
		return "Silu"
	}
	return ""
}
