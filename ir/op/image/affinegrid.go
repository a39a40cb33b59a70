package image

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [AffineGrid].
const (
	affineGridTheta = iota
	affineGridSize
)

// AffineGrid is the grid with which GridSample applies an affine map.
//
// https://onnx.ai/onnx/operators/onnx__AffineGrid.html
var AffineGrid = &op.Op{
	Name:  "AffineGrid",
	Since: []int{20},
	Attrs: []op.Attr{{Name: "align_corners", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		affineGridTheta: {Name: "theta", Types: elem.Floats},
		affineGridSize:  {Name: "size", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "grid", Like: "theta"}},
	Infer:   inferAffineGrid,
	Grad:    affineGridGrad,
	Lower:   lowerAffineGrid,
	Widen:   true,
}

func inferAffineGrid(c *op.Infer) error {
	theta, err := c.Rank(affineGridTheta, 3)
	if err != nil {
		return err
	}
	size, err := c.Read(affineGridSize)
	if err != nil {
		return err
	}
	r := len(size) - 2
	if r != 2 && r != 3 {
		return fmt.Errorf("size has %d elements, want 4 or 5", len(size))
	}
	_, err1 := c.Agree(affineGridTheta, 1, ir.C(r))
	_, err2 := c.Agree(affineGridTheta, 2, ir.C(r+1))
	if err1 != nil || err2 != nil {
		return fmt.Errorf("theta is %s, want [n,%d,%d]", theta, r, r+1)
	}
	if err := op.CheckNotNegative(size); err != nil {
		return err
	}
	c.OutTensor(0, theta.Elem, slices.Concat(theta.Shape[:1], c.OutSizes(size[2:]), ir.Cs(r))...)
	return nil
}

func lowerAffineGrid(l *op.Lowering) error {
	y := l.Out[0]
	size, _ := op.Content(l.In[affineGridSize])
	out := op.Shape(y)[1 : len(op.Shape(y))-1]
	l.CountSizes(out, size[2:])
	l.Call("AffineGrid", y, l.In[affineGridTheta], op.Shape(y)[0], out, l.Int("align_corners") != 0)
	return nil
}

// dtheta = dyᵀ·[base, 1], where base is the grid of the identity
func affineGridGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	theta := n.In[affineGridTheta]
	elem := theta.Type.Elem
	r, _ := op.Shape(dy[0])[len(op.Shape(dy[0]))-1].Const() // inference has made sure
	same := b.OpA("EyeLike", op.Attrs("dtype", int(elem)), b.Const(tensor.New(tensor.Float32, r, r+1)))
	base := b.OpA("AffineGrid", n.Attrs, b.Op("Add", same, op.Fill(b, theta, 0)), n.In[affineGridSize])
	points := func(v *ir.Value) *ir.Value { return b.Op("Reshape", v, b.Ints(0, -1, r)) }
	base, g := points(base), points(dy[0])
	ones := b.Op("Slice", op.Fill(b, base, 1), b.Ints(0), b.Ints(1), b.Ints(2))
	base = b.OpA("Concat", op.Attrs("axis", 2), base, ones)
	return []*ir.Value{b.Op("MatMul", op.SwapLast(b, g), base)}
}
