package op

// ThresholdedRelu is x where it is above alpha, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html
var ThresholdedRelu = &Op{
	Name:    "ThresholdedRelu",
	Since:   []int{10, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerThresholdedRelu,
	InPlace: true,
	Widen:   true,
}

func lowerThresholdedRelu(l *Lowering) error {
	l.Call("ThresholdedRelu", l.Out[0], l.In[0], l.Float("alpha", 1))
	return nil
}
