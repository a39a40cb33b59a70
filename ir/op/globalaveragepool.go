package op

// GlobalAveragePool is the mean of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
var GlobalAveragePool = &Op{
	Name:  "GlobalAveragePool",
	Since: []int{1, 22},
	In:    One,
	Out:   One,
	Infer: inferGlobalPool,
	Lower: globalPool("GlobalAveragePool"),
	Widen: true,
}
