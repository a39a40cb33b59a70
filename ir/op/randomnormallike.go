package op

// RandomNormalLike is [RandomNormal] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormalLike.html
var RandomNormalLike = &Op{
	Name:  "RandomNormalLike",
	Since: []int{1, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int},
		{Name: "mean", Kind: Float, Default: 0.0},
		{Name: "scale", Kind: Float, Default: 1.0},
		{Name: "seed", Kind: Float},
		{Name: "counter", Kind: String, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: anyElem}},
	Outputs: []Port{{Name: "output", Types: floats}},
	Infer:   inferRandomLike,
	Grad:    ZeroGrad,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
}
