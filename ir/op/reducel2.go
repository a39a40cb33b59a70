package op

// ReduceL2 is the root of the sum of squares along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceL2.html
var ReduceL2 = &Op{
	Name:    "ReduceL2",
	Since:   []int{1, 11, 13, 18},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceL2"),
	Widen:   true,
}
