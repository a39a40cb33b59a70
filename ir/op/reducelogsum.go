package op

// ReduceLogSum is the logarithm of the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
var ReduceLogSum = &Op{
	Name:    "ReduceLogSum",
	Since:   []int{1, 11, 13, 18, 28},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(floats),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceLogSum"),
	Widen:   true,
}
