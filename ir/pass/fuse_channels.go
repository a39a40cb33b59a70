package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// affineSum merges a constant factor and a constant sum, one of each for a channel.
func affineSum(f *fuser, n *ir.Node) *ir.Value {
	c, v := constOperand(n)
	d := f.sole(v, "Mul", "Div")
	if d == nil {
		return nil
	}
	k, x := constOperand(d)
	if x == nil || !x.Type.Equal(n.Out[0].Type) {
		return nil
	}
	for axis := len(x.Type.Shape) - 1; axis >= 0; axis-- {
		size, ok := x.Type.Shape[axis].Const()
		if !ok || size == 1 {
			continue
		}
		scale, shift := perChannel(k, x.Type.Shape, axis, size), perChannel(c, x.Type.Shape, axis, size)
		if scale == nil || shift == nil || len(numbers(k)) == 1 && len(numbers(c)) == 1 {
			continue
		}
		a := affine{slices.Clone(scale), slices.Clone(shift)}
		for i := range a.scale {
			a.scale[i], a.shift[i] = inverse(scale[i], d.Is("Div")), signed(shift[i], n.Is("Sub"))
		}
		if !a.finite() {
			return nil
		}
		return f.affine(x, a, axis, "")
	}
	return nil
}

// affineAct merges the function applied to channels that have been scaled and shifted, or normalized with
// constant moments.
func affineAct(f *fuser, n *ir.Node) *ir.Value {
	act := op.Lookup(n).Act(n)
	d := f.sole(n.In[op.X], "BatchNormalization", "FusedAffine")
	if d == nil || act == "" || d.Has("activation") || !isFloat(n.In[op.X]) {
		return nil
	}
	if d.Op == "FusedAffine" {
		c := &ir.Node{Op: d.Op, Attrs: slices.Clone(d.Attrs), In: d.In}
		c.Attrs.Set("activation", act)
		return f.own(c)
	}
	a, ok := affineOf(d, 0, 1)
	if !ok {
		return nil
	}
	return f.affine(d.In[op.X], a, 1, act)
}

// affine builds act(x·scale + shift). What scales and shifts these channels just before that is multiplied in.
func (f *fuser) affine(x *ir.Value, a affine, axis int, act string) *ir.Value {
	if d := f.sole(x, "BatchNormalization", "FusedAffine"); d != nil {
		if b, ok := channelsOf(d, axis); ok {
			if both := a.after(b); both.finite() {
				return f.affine(d.In[op.X], both, axis, act)
			}
		}
	}
	n := &ir.Node{Op: "FusedAffine", In: []*ir.Value{
		x,
		f.constant(f.b.Prefix+"scale", x, a.scale, len(a.scale)),
		f.constant(f.b.Prefix+"shift", x, a.shift, len(a.shift)),
	}}
	n.Attrs.Set("axis", int64(axis))
	if act != "" {
		n.Attrs.Set("activation", act)
	}
	return f.own(n)
}

// channelsOf returns the function of channels that a node applies to its first input along an axis. It is not ok if there is
// more to it.
func channelsOf(n *ir.Node, axis int) (affine, bool) {
	if n.Op == "BatchNormalization" {
		return affineOf(n, 0, axis)
	}
	a := affine{numbers(n.In[inChannelScale]), numbers(n.In[inChannelShift])}
	return a, n.Int("axis") == axis && !n.Has("activation") && a.scale != nil && a.shift != nil
}

// after returns a applied to the result of b.
func (a affine) after(b affine) affine {
	scale := slices.Clone(a.scale)
	for k, x := range b.scale {
		scale[k] *= x
	}
	return affine{scale, a.bias(b.shift)}
}
