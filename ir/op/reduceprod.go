package op

// ReduceProd is the product along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceProd.html
var ReduceProd = &Op{
	Name:    "ReduceProd",
	Since:   []int{1, 11, 13, 18},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
	Upgrade: upgradeReduce,
	Lower:   reduce("ReduceProd"),
	Widen:   true,
}
