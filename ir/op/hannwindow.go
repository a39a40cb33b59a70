package op

// HannWindow is a raised cosine.
//
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
var HannWindow = &Op{
	Name:  "HannWindow",
	Since: []int{17},
	Attrs: []Attr{
		{Name: "output_datatype", Kind: Int, Default: 1},
		{Name: "periodic", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "size", Types: indices}},
	Outputs: []Port{{Name: "output", Types: numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(0.5, 0.5, 0),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   noInputs,
}
