package op

// RandomUniform draws from low to high, all numbers alike.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniform.html
var RandomUniform = &Op{
	Name:  "RandomUniform",
	Since: []int{1, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int, Default: 1},
		{Name: "high", Kind: Float, Default: 1.0},
		{Name: "low", Kind: Float, Default: 0.0},
		{Name: "seed", Kind: Float},
		{Name: "shape", Kind: Ints, Required: true},
		{Name: "counter", Kind: String, Own: true},
	},
	Outputs: []Port{{Name: "output", Types: floats}},
	Infer:   inferRandom,
	Lower:   lowerRandomUniform,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   noInputs,
}
