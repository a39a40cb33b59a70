package op

import "github.com/bbgen/bbgen/ir"

// HardSigmoid is max(0, min(1, alpha·x+beta)).
//
// https://onnx.ai/onnx/operators/onnx__HardSigmoid.html
var HardSigmoid = &Op{
	Name:    "HardSigmoid",
	Since:   []int{1, 6, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerHardSigmoid,
	InPlace: true,
	Act:     actHardSigmoid,
	Widen:   true,
}

func lowerHardSigmoid(l *Lowering) error {
	l.Call("HardSigmoid", l.Out[0], l.In[0], l.Float("alpha", 0.2), l.Float("beta", 0.5))
	return nil
}

func actHardSigmoid(n *ir.Node) string {
	if sixth(n.Float("alpha", 0.2)) && n.Float("beta", 0.5) == 0.5 {
		return "HardSigmoid"
	}
	return ""
}
