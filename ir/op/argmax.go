package op

// ArgMax is the index of the largest element along an axis: the first one, or
// the last.
//
// https://onnx.ai/onnx/operators/onnx__ArgMax.html
var ArgMax = &Op{
	Name:  "ArgMax",
	Since: []int{1, 11, 12, 13},
	In:    One,
	Out:   One,
	Infer: inferArg,
	Grad:  ZeroGrad,
	Lower: lowerArg("ArgMax"),
	Widen: true,
}
