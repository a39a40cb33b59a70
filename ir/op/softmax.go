package op

// Softmax is exp(x)/Σ exp(x) along an axis.
//
// https://onnx.ai/onnx/operators/onnx__Softmax.html
var Softmax = &Op{
	Name:    "Softmax",
	Since:   []int{1, 11, 13},
	In:      One,
	Out:     One,
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Lower:   lowerSoftmax("Softmax"),
	InPlace: true,
	Widen:   true,
}
