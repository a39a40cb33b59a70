package op

// fusedOps are bbgen's own operators.
var fusedOps = []*Op{
	AveragePoolLast,
	ByteTable,
	ColumnsInto,
	ConvIntegerLast,
	ConvLast,
	ConvLastInto,
	ConvTransposeLast,
	DynamicLSTM,
	FusedAffine,
	FusedAttention,
	FusedConv,
	FusedMatMul,
	GemmStored,
	GlobalAveragePoolLast,
	GlobalMaxPoolLast,
	GroupNormLast,
	MaskedSoftmax,
	MaskedSoftmaxGrad,
	MatMulNibbles,
	MatMulT,
	MaxPoolLast,
	QConv,
	QConvLast,
	QMatMul,
}
