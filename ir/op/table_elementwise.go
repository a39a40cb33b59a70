package op

// elementwiseOps work element by element, or reduce along axes.
var elementwiseOps = []*Op{
	Add,
	Relu,
}
