package op

// gradientOps are what losses and gradients are made of where a composition of
// ONNX's operators would be wasteful. Each has kernels, and a gradient of its own or a
// definition that is there to be differentiated.
var gradientOps = []*Op{
	AveragePoolGrad,
	BatchNormGrad,
	CTCLoss,
	CTCLossGrad,
	Col2ImGrad,
	ConvGradInput,
	ConvGradWeight,
	CumBestGrad,
	CumProdGrad,
	DeformSample,
	DeformSampleGrad,
	DetGrad,
	GatherGrad,
	GatherNDGrad,
	GeluGrad,
	GridSampleGrad,
	LayerNormGrad,
	MaxPoolGrad,
	MaxRoiPoolGrad,
	MaxUnpoolGrad,
	NLLLossGrad,
	PadGrad,
	ReluGrad,
	ResizeGrad,
	RoiAlignGrad,
	SliceGrad,
	SoftmaxGrad,
	SumTo,
	TileGrad,
}
