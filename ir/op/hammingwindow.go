package op

// HammingWindow is a raised cosine that does not end at zero.
//
// https://onnx.ai/onnx/operators/onnx__HammingWindow.html
var HammingWindow = &Op{
	Name:  "HammingWindow",
	Since: []int{17},
	Attrs: []Attr{
		{Name: "output_datatype", Kind: Int, Default: 1},
		{Name: "periodic", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "size", Types: indices}},
	Outputs: []Port{{Name: "output", Types: numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(25.0/46, 21.0/46, 0),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   noInputs,
}
