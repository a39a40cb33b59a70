package op

// Shrink brings x towards 0 by bias where |x| is above lambd, and is 0
// elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Shrink.html
var Shrink = &Op{
	Name:    "Shrink",
	Since:   []int{9},
	In:      One,
	Out:     One,
	Infer:   sameAs(numbers),
	Lower:   lowerShrink,
	InPlace: true,
	Widen:   true,
}

func lowerShrink(l *Lowering) error {
	l.Call("Shrink", l.Out[0], l.In[0], l.Float("bias", 0), l.Float("lambd", 0.5))
	return nil
}
