package op

// HannWindow is a raised cosine.
//
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
var HannWindow = &Op{
	Name:    "HannWindow",
	Since:   []int{17},
	In:      One,
	Out:     One,
	Infer:   inferWindow,
	Lower:   cosineWindow(0.5, 0.5, 0),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   noInputs,
}
