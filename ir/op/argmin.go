package op

// ArgMin is the index of the smallest element along an axis: the first one, or
// the last.
//
// https://onnx.ai/onnx/operators/onnx__ArgMin.html
var ArgMin = &Op{
	Name:  "ArgMin",
	Since: []int{1, 11, 12, 13},
	In:    One,
	Out:   One,
	Infer: inferArg,
	Grad:  ZeroGrad,
	Lower: lowerArg("ArgMin"),
	Widen: true,
}
