package op

// Celu is max(0, x) + min(0, alpha·(exp(x/alpha)-1)).
//
// https://onnx.ai/onnx/operators/onnx__Celu.html
var Celu = &Op{
	Name:    "Celu",
	Since:   []int{12, 28},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerCelu,
	InPlace: true,
	Widen:   true,
}

func lowerCelu(l *Lowering) error {
	l.Call("Celu", l.Out[0], l.In[0], l.Float("alpha", 1))
	return nil
}
