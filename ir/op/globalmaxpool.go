package op

// GlobalMaxPool is the largest element of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
var GlobalMaxPool = &Op{
	Name:  "GlobalMaxPool",
	Since: []int{1, 22},
	In:    One,
	Out:   One,
	Infer: inferGlobalPool,
	Lower: globalPool("GlobalMaxPool"),
	Widen: true,
}
