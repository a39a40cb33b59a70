package op

// normOps are normalisations, attention, recurrent layers, losses and
// optimizers.
var normOps = []*Op{
	BatchNormalization,
	GRU,
	GroupNormalization,
	InstanceNormalization,
	LSTM,
	LayerNormalization,
	LpNormalization,
	MeanVarianceNormalization,
	RMSNormalization,
	RNN,
}
