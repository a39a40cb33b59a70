package op

// Elu is x, or alpha·(eˣ-1) below 0.
//
// https://onnx.ai/onnx/operators/onnx__Elu.html
var Elu = &Op{
	Name:    "Elu",
	Since:   []int{1, 6, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   lowerElu,
	InPlace: true,
	Widen:   true,
}

func lowerElu(l *Lowering) error {
	l.Call("Elu", l.Out[0], l.In[0], l.Float("alpha", 1))
	return nil
}
