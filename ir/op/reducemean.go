package op

// ReduceMean is the mean along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
var ReduceMean = &Op{
	Name:    "ReduceMean",
	Since:   []int{1, 11, 13, 18},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceMean"),
	Widen:   true,
}
