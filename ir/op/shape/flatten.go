package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Flatten makes a matrix: the axes before axis are its rows, the others its
// columns.
//
// https://onnx.ai/onnx/operators/onnx__Flatten.html
var Flatten = &op.Op{
	Name:    "Flatten",
	Since:   []int{1, 9, 11, 13, 21, 23, 24, 25},
	Attrs:   []op.Attr{{Name: "axis", Kind: op.Int, Default: 1}},
	Inputs:  []op.Port{{Name: "input", Types: elem.Any}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferFlatten,
	Picks:   true,
	Grad:    reshapeGrad,
	Alias:   true,
}

func inferFlatten(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	axis, rank := c.Int("axis"), len(x.Shape)
	switch {
	case rank == 0 && axis != 0:
		return fmt.Errorf("axis is %d, want 0: a scalar has no axes", axis)
	case axis < -rank || axis > rank:
		return fmt.Errorf("axis is %d, want -%d to %d", axis, rank, rank)
	}
	if axis < 0 {
		axis += rank
	}
	c.OutTensor(0, x.Elem, ir.Size(x.Shape[:axis]), ir.Size(x.Shape[axis:]))
	return nil
}
