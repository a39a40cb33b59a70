package op

// CumSum adds up along an axis, which may be known only when the model runs.
//
// https://onnx.ai/onnx/operators/onnx__CumSum.html
var CumSum = &Op{
	Name:  "CumSum",
	Since: []int{11, 14},
	In:    Two,
	Out:   One,
	Infer: inferCumulative,
	Lower: lowerCumulative("CumSum"),
	Widen: true,
}
