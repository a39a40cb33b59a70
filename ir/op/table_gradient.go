package op

// gradientOps are what losses and gradients are made of where a composition of
// ONNX's operators would be wasteful. Each has kernels, and a gradient of its own or a
// definition that is there to be differentiated.
var gradientOps = []*Op{
	AveragePoolGrad,
	BatchNormGrad,
	CTCLoss,
	CTCLossGrad,
	ConvGradInput,
	ConvGradWeight,
	CumProdGrad,
	DetGrad,
	GatherGrad,
	GatherNDGrad,
	GeluGrad,
	GridSampleGrad,
	LayerNormGrad,
	MaxPoolGrad,
	MaxUnpoolGrad,
	NLLLossGrad,
	PadGrad,
	ReluGrad,
	ResizeGrad,
	SliceGrad,
	SoftmaxGrad,
	SumTo,
	TileGrad,
}
