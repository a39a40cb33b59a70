package op

// Sum is the sum of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Sum.html
var Sum = &Op{
	Name:    "Sum",
	Since:   []int{1, 6, 8, 13},
	In:      Arity{1, Any},
	Out:     One,
	Infer:   inferVariadic(floats),
	Grad:    sumGrad,
	Lower:   binary("Add"),
	Expand:  pairwise("Add"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
}
