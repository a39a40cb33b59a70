package op

// Hardmax is 1 at the first largest element along an axis, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Hardmax.html
var Hardmax = &Op{
	Name:    "Hardmax",
	Since:   []int{1, 11, 13},
	In:      One,
	Out:     One,
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    ZeroGrad,
	Lower:   lowerSoftmax("Hardmax"),
	Widen:   true,
}
