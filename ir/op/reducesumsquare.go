package op

// ReduceSumSquare is the sum of squares along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html
var ReduceSumSquare = &Op{
	Name:    "ReduceSumSquare",
	Since:   []int{1, 11, 13, 18},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceSumSquare"),
	Widen:   true,
}
