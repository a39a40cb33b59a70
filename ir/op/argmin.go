package op

// ArgMin is the index of the smallest element along an axis: the first one, or
// the last.
//
// https://onnx.ai/onnx/operators/onnx__ArgMin.html
var ArgMin = &Op{
	Name:  "ArgMin",
	Since: []int{1, 11, 12, 13},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 0},
		{Name: "keepdims", Kind: Int, Default: 1},
		{Name: "select_last_index", Kind: Int, Default: 0, Since: 12},
	},
	Inputs:  []Port{{Name: "data", Types: numbers}},
	Outputs: []Port{{Name: "reduced", Types: int64s}},
	Infer:   inferArg,
	Grad:    ZeroGrad,
	Lower:   lowerArg("ArgMin"),
	Widen:   true,
}
