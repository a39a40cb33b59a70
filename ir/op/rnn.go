package op

// RNN is the simple recurrent layer, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__RNN.html
var RNN = &Op{
	Name:    "RNN",
	Since:   []int{1, 7, 14, 22},
	In:      Arity{3, 6},
	Out:     Arity{0, 2},
	Infer:   inferRecurrent(1, 1),
	Upgrade: upgradeRecurrent,
	Lower:   lowerRecurrent("RNN", 1),
	Widen:   true,
}
