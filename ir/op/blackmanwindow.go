package op

// BlackmanWindow is a sum of two cosines, with small side lobes.
//
// https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html
var BlackmanWindow = &Op{
	Name:    "BlackmanWindow",
	Since:   []int{17},
	In:      One,
	Out:     One,
	Infer:   inferWindow,
	Lower:   cosineWindow(0.42, 0.5, 0.08),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   noInputs,
}
