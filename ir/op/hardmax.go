package op

// Hardmax is 1 at the first largest element along an axis, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Hardmax.html
var Hardmax = &Op{
	Name:  "Hardmax",
	Since: []int{1, 11, 13},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 1, Until: 13},
		{Name: "axis", Kind: Int, Default: -1, Since: 13},
		{Name: "flat", Kind: Int, Default: 0, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    ZeroGrad,
	Lower:   lowerSoftmax("Hardmax"),
	Widen:   true,
}
