package op

// RandomNormal draws from a normal distribution.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html
var RandomNormal = &Op{
	Name:  "RandomNormal",
	Since: []int{1, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int, Default: 1},
		{Name: "mean", Kind: Float, Default: 0.0},
		{Name: "scale", Kind: Float, Default: 1.0},
		{Name: "seed", Kind: Float},
		{Name: "shape", Kind: Ints, Required: true},
		{Name: "counter", Kind: String, Own: true},
	},
	Outputs: []Port{{Name: "output", Types: floats}},
	Infer:   inferRandom,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   noInputs,
}
