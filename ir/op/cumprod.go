package op

// CumProd multiplies along an axis, which may be known only when the model
// runs.
//
// https://onnx.ai/onnx/operators/onnx__CumProd.html
var CumProd = &Op{
	Name:  "CumProd",
	Since: []int{26},
	In:    Two,
	Out:   One,
	Infer: inferCumulative,
	Lower: lowerCumulative("CumProd"),
	Widen: true,
}
