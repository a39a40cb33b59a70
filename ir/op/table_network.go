package op

// networkOps are the layers of networks that multiply, convolve, pool and
// sample, their quantized forms, and signal and image operators.
var networkOps = []*Op{
	AveragePool,
	BlackmanWindow,
	CausalConvWithState,
	Conv,
	ConvInteger,
	ConvTranspose,
	DFT,
	DeformConv,
	Gemm,
	GlobalAveragePool,
	GlobalLpPool,
	GlobalMaxPool,
	HammingWindow,
	HannWindow,
	ImageDecoder,
	LRN,
	LpPool,
	MatMul,
	MatMulInteger,
	MaxPool,
	MelWeightMatrix,
	QLinearConv,
	QLinearMatMul,
	STFT,
}
