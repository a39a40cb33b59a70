package op

// ReduceL1 is the sum of absolute values along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceL1.html
var ReduceL1 = &Op{
	Name:    "ReduceL1",
	Since:   []int{1, 11, 13, 18},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceL1"),
	Widen:   true,
}
