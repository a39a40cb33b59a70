package op

// networkOps are the layers of networks that multiply, convolve, pool and
// sample, their quantized forms, and signal and image operators.
var networkOps = []*Op{
	AveragePool,
	Conv,
	Gemm,
	GlobalAveragePool,
	GlobalMaxPool,
	MatMul,
	MaxPool,
}
