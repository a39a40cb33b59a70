package op

// fusedOps are bbgen's own operators.
var fusedOps = []*Op{
	AveragePoolLast,
	ConvLast,
	FusedAffine,
	FusedConv,
	FusedMatMul,
	GlobalAveragePoolLast,
	GlobalMaxPoolLast,
	MatMulT,
	MaxPoolLast,
	QConv,
	QMatMul,
}
