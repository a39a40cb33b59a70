package op

// RandomUniformLike is [RandomUniform] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniformLike.html
var RandomUniformLike = &Op{
	Name:  "RandomUniformLike",
	Since: []int{1, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int},
		{Name: "high", Kind: Float, Default: 1.0},
		{Name: "low", Kind: Float, Default: 0.0},
		{Name: "seed", Kind: Float},
		{Name: "counter", Kind: String, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: anyElem}},
	Outputs: []Port{{Name: "output", Types: floats}},
	Infer:   inferRandomLike,
	Grad:    ZeroGrad,
	Lower:   lowerRandomUniform,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
}
