package op

// tensorOps are the operators of [Tensors].
var tensorOps = []*Op{
	AdaptiveAveragePool,
	AdaptiveMaxPool,
	Atan2,
	Cross,
	CumMax,
	CumMin,
	Im2Col,
	Log1p,
	Trunc,
	Unfold,
}
