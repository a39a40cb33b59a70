package op

// fusedOps are bbgen's own operators.
var fusedOps = []*Op{
	FusedAffine,
	FusedConv,
	FusedMatMul,
	MatMulT,
	QConv,
	QMatMul,
}
