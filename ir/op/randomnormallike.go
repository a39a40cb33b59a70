package op

// RandomNormalLike is [RandomNormal] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormalLike.html
var RandomNormalLike = &Op{
	Name:    "RandomNormalLike",
	Since:   []int{1, 22},
	In:      One,
	Out:     One,
	Infer:   inferRandomLike,
	Grad:    ZeroGrad,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
}
