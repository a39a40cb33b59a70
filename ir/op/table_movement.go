package op

// movementOps move elements without computing on them, or ask for shapes.
var movementOps = []*Op{
	Concat,
	Expand,
	Flatten,
	Gather,
	NonZero,
	Reshape,
	ShapeOp,
	SizeOp,
	Slice,
	Split,
	Squeeze,
	Tile,
	Transpose,
	Unsqueeze,
}
