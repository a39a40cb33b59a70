package op

// HardSwish is x·max(0, min(1, x/6+1/2)).
//
// https://onnx.ai/onnx/operators/onnx__HardSwish.html
var HardSwish = &Op{
	Name:    "HardSwish",
	Since:   []int{14, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("HardSwish"),
	InPlace: true,
	Act:     plain("HardSwish"),
	Widen:   true,
}
