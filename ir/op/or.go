package op

// Or is a || b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Or.html
var Or = &Op{
	Name:  "Or",
	Since: []int{1, 7},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
	},
	Inputs:  []Port{{Name: "A", Types: bools}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Types: bools}},
	Infer:   inferBinary,
	Upgrade: upgradeBroadcast,
	Lower:   binary("Or"),
	InPlace: true,
	Stops:   onBools,

	Broadcasts: true,
}
