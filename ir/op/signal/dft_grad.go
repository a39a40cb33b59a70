package signal

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// dftGrad returns the reverse transform, with or without its factor:
//
//	dx = n · inverse(dy)     of a transform of n elements
//	dx = transform(dy) / n   of an inverse
//
// Elements that were cut off have no gradient, and padding propagates none.
func dftGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, g := n.In[dftInput], dy[0]
	rank := len(op.Shape(x))
	axis, ok := dftAxisOf(n, rank)
	if !ok {
		return []*ir.Value{op.NoGrad, nil, nil}[:len(n.In)]
	}
	onesided, inverse := n.Int("onesided") != 0, n.Int("inverse") != 0
	length := op.SizeOf(b, x, axis)
	switch {
	case n.Arg(dftDftLength) != nil:
		length = b.Op("Reshape", n.In[dftDftLength], b.Ints(1))
	case onesided && inverse:
		length = op.SizeOf(b, g, axis)
	}
	count := b.OpA("Cast", op.Attrs("to", int(op.Wide(x.Type.Elem))), length)
	scale := b.OpA("Cast", op.Attrs("to", int(x.Type.Elem)), b.Op("Reciprocal", count))
	attrs := op.Attrs("onesided", onesided && inverse)
	if !inverse {
		attrs, scale = op.Attrs("inverse", 1), b.OpA("Cast", op.Attrs("to", int(x.Type.Elem)), count)
	}
	dx := b.Op("Mul", b.OpA("DFT", attrs, g, length, b.Ints(axis)), scale)
	if onesided && inverse {
		dx = b.Op("Mul", dx, mirrored(b, dx, length, axis))
	}
	if op.Shape(x)[rank-1].Is(1) {
		dx = op.Leading(b, dx, b.Ints(1), rank-1)
	}
	if n.Arg(dftDftLength) != nil {
		cut := op.Leading(b, dx, op.SizeOf(b, x, axis), axis)
		dx = op.OwnNode(b, "SliceGrad", nil, cut, x, b.Ints(0), op.SizeOf(b, dx, axis), b.Ints(axis))
	}
	return []*ir.Value{dx, nil, nil}[:len(n.In)]
}

// dftAxisOf returns the axis of the signal, if it is constant.
func dftAxisOf(n *ir.Node, rank int) (int, bool) {
	if n.Arg(dftAxis) == nil {
		return rank - 2, true
	}
	at, ok := scalar(n.In[dftAxis]).Const()
	axis, err := op.Axis(at, rank)
	return axis, ok && err == nil
}

// mirrored returns how often each element of half a spectrum occurs in the whole spectrum of a signal of the
// given length: once at 0 and in the middle, and twice elsewhere.
func mirrored(b *ir.Builder, half, length *ir.Value, axis int) *ir.Value {
	k := op.UpTo(b, op.SizeOf(b, half, axis))
	once := b.Op("Or", b.Op("Equal", k, b.Ints(0)), b.Op("Equal", b.Op("Mul", k, b.Ints(2)), length))
	times := b.Op("Where", once, b.Scalar(tensor.Int64, 1), b.Scalar(tensor.Int64, 2))
	return op.Along(b, op.Cast(b, times, half.Type.Elem), axis, len(op.Shape(half)))
}
