package op

// GRU is a layer of gated recurrent units, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__GRU.html
var GRU = &Op{
	Name:    "GRU",
	Since:   []int{1, 3, 7, 14, 22},
	In:      Arity{3, 6},
	Out:     Arity{0, 2},
	Infer:   inferRecurrent(3, 1),
	Upgrade: upgradeRecurrent,
	Lower:   lowerRecurrent("GRU", 3),
	Widen:   true,
}
