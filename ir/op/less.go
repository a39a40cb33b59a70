package op

// Less is a < b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Less.html
var Less = &Op{
	Name:  "Less",
	Since: []int{1, 7, 9, 13},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
	},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Types: bools}},
	Infer:   inferCompare,
	Upgrade: upgradeBroadcast,
	Grad:    ZeroGrad,
	Lower:   binary("Less"),
	Widen:   true,

	Broadcasts: true,
}
