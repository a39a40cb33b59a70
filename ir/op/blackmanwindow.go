package op

// BlackmanWindow is a sum of two cosines, with small side lobes.
//
// https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html
var BlackmanWindow = &Op{
	Name:  "BlackmanWindow",
	Since: []int{17},
	Attrs: []Attr{
		{Name: "output_datatype", Kind: Int, Default: 1},
		{Name: "periodic", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "size", Types: indices}},
	Outputs: []Port{{Name: "output", Types: numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(0.42, 0.5, 0.08),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   noInputs,
}
