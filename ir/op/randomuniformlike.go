package op

// RandomUniformLike is [RandomUniform] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniformLike.html
var RandomUniformLike = &Op{
	Name:    "RandomUniformLike",
	Since:   []int{1, 22},
	In:      One,
	Out:     One,
	Infer:   inferRandomLike,
	Grad:    ZeroGrad,
	Lower:   lowerRandomUniform,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
}
