package op

// normOps are normalisations, attention, recurrent layers, losses and
// optimizers.
var normOps = []*Op{
	Adagrad,
	Adam,
	Attention,
	BatchNormalization,
	FlexAttention,
	GRU,
	Gradient,
	GroupNormalization,
	InstanceNormalization,
	LSTM,
	LayerNormalization,
	LinearAttention,
	LpNormalization,
	MeanVarianceNormalization,
	Momentum,
	NegativeLogLikelihoodLoss,
	RMSNormalization,
	RNN,
	RotaryEmbedding,
	SoftmaxCrossEntropyLoss,
}
