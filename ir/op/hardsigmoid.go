package op

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
	Widen:   true,
}

func lowerHardSigmoid(l *Lowering) error {
	l.Call("HardSigmoid", l.Out[0], l.In[0], l.Float("alpha", 0.2), l.Float("beta", 0.5))
	return nil
}
