package op

// fusedOps are bbgen's own operators.
var fusedOps = []*Op{
	FusedConv,
	FusedMatMul,
}
