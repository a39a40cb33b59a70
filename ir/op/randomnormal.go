package op

// RandomNormal draws from a normal distribution.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html
var RandomNormal = &Op{
	Name:    "RandomNormal",
	Since:   []int{1, 22},
	In:      Arity{0, 0},
	Out:     One,
	Infer:   inferRandom,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   noInputs,
}
