package op

// LeakyRelu is x, or alpha·x below 0.
//
// https://onnx.ai/onnx/operators/onnx__LeakyRelu.html
var LeakyRelu = &Op{
	Name:    "LeakyRelu",
	Since:   []int{1, 6, 16},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerLeakyRelu,
	InPlace: true,
	Widen:   true,
}

func lowerLeakyRelu(l *Lowering) error {
	l.Call("LeakyRelu", l.Out[0], l.In[0], l.Float("alpha", 0.01))
	return nil
}
