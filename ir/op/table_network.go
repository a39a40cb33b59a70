package op

// networkOps are the layers of networks that multiply, convolve, pool and
// sample, their quantized forms, and signal and image operators.
var networkOps = []*Op{
	AveragePool,
	CausalConvWithState,
	Conv,
	ConvInteger,
	ConvTranspose,
	DeformConv,
	Gemm,
	GlobalAveragePool,
	GlobalLpPool,
	GlobalMaxPool,
	LRN,
	LpPool,
	MatMul,
	MatMulInteger,
	MaxPool,
	QLinearConv,
	QLinearMatMul,
}
