package op

// ReduceSum is the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
var ReduceSum = &Op{
	Name:    "ReduceSum",
	Since:   []int{1, 11, 13},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceSum"),
	Widen:   true,
}
