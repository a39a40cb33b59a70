package op

// Positions of inputs, for [ir.Node.In], [ir.Node.Arg] and the methods of [Infer]. An operator with several inputs has
// constants of its own beside its row, which are also the keys of its ports.
const (
	X = 0 // the only input, or the first one of operators that share a function

	A, B = 0, 1 // the two operands of elementwise operators and products
)
