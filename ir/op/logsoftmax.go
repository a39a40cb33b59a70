package op

// LogSoftmax is the logarithm of [Softmax].
//
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
var LogSoftmax = &Op{
	Name:    "LogSoftmax",
	Since:   []int{1, 11, 13},
	In:      One,
	Out:     One,
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Lower:   lowerSoftmax("LogSoftmax"),
	InPlace: true,
	Widen:   true,
}
