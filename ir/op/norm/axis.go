package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// normAxis returns the type of input 0 and the first axis that a normalization works
// on.
func normAxis(c *op.Infer) (ir.Type, int, error) {
	x, err := c.FloatTensor(op.X)
	if err != nil {
		return x, 0, err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	return x, axis, err
}

// runsAlong reports whether v has the shape of a row, ignoring leading axes of size 1.
func runsAlong(v *ir.Value, row []ir.Dim) bool {
	return ir.SameShape(trimOnes(op.Shape(v)), trimOnes(row))
}

func trimOnes(shape []ir.Dim) []ir.Dim {
	for len(shape) > 0 && shape[0].Is(1) {
		shape = shape[1:]
	}
	return shape
}
