package op

// normOps are normalisations, attention, recurrent layers, losses and
// optimizers.
var normOps = []*Op{
	BatchNormalization,
	GRU,
	LSTM,
	LayerNormalization,
	RNN,
}
