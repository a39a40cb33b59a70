package op

// RandomUniform draws from low to high, all numbers alike.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniform.html
var RandomUniform = &Op{
	Name:    "RandomUniform",
	Since:   []int{1, 22},
	In:      Arity{0, 0},
	Out:     One,
	Infer:   inferRandom,
	Lower:   lowerRandomUniform,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   noInputs,
}
