package signal

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [DFT].
const (
	dftInput = iota
	dftDftLength
	dftAxis
)

// DFT is the discrete Fourier transform along one axis, or its inverse. The
// last axis holds the real and the imaginary part.
//
// https://onnx.ai/onnx/operators/onnx__DFT.html
var DFT = &op.Op{
	Name:  "DFT",
	Since: []int{17, 20},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 1, Until: 20},
		{Name: "inverse", Kind: op.Int, Default: 0},
		{Name: "onesided", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		dftInput:     {Name: "input", Types: elem.Floats},
		dftDftLength: {Name: "dft_length", Types: elem.Indices, Optional: true},
		dftAxis:      {Name: "axis", Types: elem.Indices, Optional: true, Since: 20},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferDFT,
	Upgrade: upgradeDFT,
	Grad:    dftGrad,
	Lower:   lowerDFT,
	Widen:   true,
}

func upgradeDFT(b *ir.Builder, n *ir.Node) error {
	axis := n.Int("axis")
	n.Attrs.Delete("axis")
	for len(n.In) < 3 {
		n.In = append(n.In, nil)
	}
	n.In[dftAxis] = b.Const(tensor.Of([]int64{int64(axis)}))
	return nil
}

func inferDFT(c *op.Infer) error {
	x, err := c.Tensor(dftInput)
	if err != nil {
		return err
	}
	rank := len(x.Shape)
	if rank < 2 {
		return fmt.Errorf("input has rank %d, want 2 or more", rank)
	}
	onesided, inverse := c.Int("onesided") != 0, c.Int("inverse") != 0
	parts, ok := x.Shape[rank-1].Const()
	switch {
	case !ok || parts != 1 && parts != 2:
		return fmt.Errorf("last axis is %s, want 1 or 2", x.Shape[rank-1])
	case onesided && !inverse && parts != 1:
		return fmt.Errorf("onesided is set for a complex input")
	case onesided && inverse && parts != 2:
		return fmt.Errorf("onesided inverse needs a complex input")
	}
	axis, known, err := inferDFTAxis(c)
	if err != nil {
		return err
	}
	shape := append([]ir.Dim{}, x.Shape...)
	shape[rank-1] = ir.C(2)
	if onesided && inverse {
		shape[rank-1] = ir.C(1)
	}
	switch {
	case known:
		n, err := dftLength(c, x.Shape[axis])
		if err != nil {
			return err
		}
		shape[axis] = n
		if onesided && !inverse {
			shape[axis] = n.Div(ir.C(2)).Add(ir.C(1))
		}
	case onesided || c.Arg(dftDftLength) != nil:
		if c.Arg(dftDftLength) != nil {
			if _, err := readScalar(c, 1); err != nil {
				return err
			}
		}
		for i := range rank - 1 {
			shape[i] = c.Fresh("dim")
		}
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

// dftLength returns the length of a signal with an axis of size in.
func dftLength(c *op.Infer, in ir.Dim) (ir.Dim, error) {
	switch {
	case c.Arg(dftDftLength) != nil:
		return readLength(c, 1)
	case c.Int("onesided") != 0 && c.Int("inverse") != 0:
		n := in.Sub(ir.C(1)).Mul(ir.C(2))
		if v, ok := n.Const(); ok && v < 1 {
			return n, fmt.Errorf("axis of %s elements gives a signal of %d", in, v)
		}
		return n, nil
	}
	return in, nil
}

// inferDFTAxis returns the axis of the signal, if it is known.
func inferDFTAxis(c *op.Infer) (axis int, known bool, err error) {
	rank := len(op.Shape(c.In[dftInput]))
	if c.Arg(dftAxis) == nil {
		return rank - 2, true, nil
	}
	v, err := c.Read(dftAxis)
	if err != nil {
		return 0, false, err
	}
	if len(v) != 1 {
		return 0, false, fmt.Errorf("axis has %d elements, want 1", len(v))
	}
	if axis, known = v[0].Const(); !known {
		return 0, false, nil
	}
	axis, err = op.Axis(axis, rank)
	if err == nil && axis == rank-1 {
		err = fmt.Errorf("axis is the one of the real and imaginary parts")
	}
	return axis, true, err
}

func lowerDFT(l *op.Lowering) error {
	x, y := l.In[dftInput], l.Out[0]
	rank := len(op.Shape(x))
	axis, length := ir.C(rank-2), scalar(l.Arg(dftDftLength))
	if l.Arg(dftAxis) != nil {
		axis = scalar(l.In[dftAxis])
	}
	onesided, inverse := l.Int("onesided") != 0, l.Int("inverse") != 0
	longest := ir.C(1)
	if at, known := axis.Const(); known {
		at, err := op.Axis(at, rank)
		if err != nil {
			return err
		}
		longest = op.Shape(y)[at]
		countLength(l, 0, 1, longest)
	} else {
		for k := range l.Syms {
			l.Count(k, "DFTDim", op.Shape(x), axis, length, k, onesided, inverse)
		}
		for _, d := range op.Shape(y)[:rank-1] {
			longest = longest.Max(d)
		}
	}
	if onesided && !inverse { // n/2+1 are left of n
		longest = longest.Mul(ir.C(2))
	}
	work := l.Scratch(tensor.Float64, longest, ir.C(6))
	l.Call("DFT", y, x, work, op.Struct{Type: "DFTShape", Fields: []op.Field{
		{Name: "X", Value: op.Shape(x)}, {Name: "Y", Value: op.Shape(y)}, {Name: "Axis", Value: axis},
		{Name: "Length", Value: length}, {Name: "Onesided", Value: onesided}, {Name: "Inverse", Value: inverse},
	}})
	return nil
}
