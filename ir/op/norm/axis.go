package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// normAxis returns the type of input 0 and the first axis that a normalisation works
// on.
func normAxis(c *op.Infer) (ir.Type, int, error) {
	x, err := c.FloatTensor(op.X)
	if err != nil {
		return x, 0, err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	return x, axis, err
}

// broadcastsTo reports whether v broadcasts to the shape without changing it.
func broadcastsTo(v *ir.Value, shape []ir.Dim) error {
	out, err := op.Broadcast(shape, op.Shape(v))
	if err == nil && len(out) > len(shape) {
		err = fmt.Errorf("input %q has rank %d, want at most %d", v.Name, len(op.Shape(v)), len(shape))
	}
	return err
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
