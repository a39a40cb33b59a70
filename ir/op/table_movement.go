package op

// movementOps move elements without computing on them, or ask for shapes.
var movementOps = []*Op{
	NonZero,
	Reshape,
	ShapeOp,
}
