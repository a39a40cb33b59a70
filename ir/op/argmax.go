package op

// ArgMax is the index of the largest element along an axis: the first one, or
// the last.
//
// https://onnx.ai/onnx/operators/onnx__ArgMax.html
var ArgMax = &Op{
	Name:  "ArgMax",
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
	Lower:   lowerArg("ArgMax"),
	Widen:   true,
}
