package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// AffineGrid is the grid with which GridSample applies an affine map.
//
// https://onnx.ai/onnx/operators/onnx__AffineGrid.html
var AffineGrid = &Op{
	Name:  "AffineGrid",
	Since: []int{20},
	In:    Two,
	Out:   One,
	Infer: inferAffineGrid,
	Lower: lowerAffineGrid,
	Widen: true,
}

func inferAffineGrid(c *Infer) error {
	theta, err := c.Rank(0, 3)
	if err != nil {
		return err
	}
	if err := floats.check(c, 0); err != nil {
		return err
	}
	size, err := c.Read(1)
	if err != nil {
		return err
	}
	r := len(size) - 2
	if r != 2 && r != 3 {
		return fmt.Errorf("size has %d elements, want 4 or 5", len(size))
	}
	_, err1 := sameSize(theta.Shape[1], ir.C(r))
	_, err2 := sameSize(theta.Shape[2], ir.C(r+1))
	if err1 != nil || err2 != nil {
		return fmt.Errorf("theta is %s, want [n,%d,%d]", theta, r, r+1)
	}
	if err := notNegative(size); err != nil {
		return err
	}
	c.OutTensor(0, theta.Elem, slices.Concat(theta.Shape[:1], c.sizes(size[2:]), ir.Cs(r))...)
	return nil
}

func lowerAffineGrid(l *Lowering) error {
	y := l.Out[0]
	size, _ := Content(l.In[1])
	out := Shape(y)[1 : len(Shape(y))-1]
	l.countSizes(out, size[2:])
	l.Call("AffineGrid", y, l.In[0], Shape(y)[0], out, l.Int("align_corners", 0) != 0)
	return nil
}
