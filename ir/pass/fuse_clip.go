package pass

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// timesOne removes a multiplication or division by 1, which are exact.
func timesOne(f *fuser, n *ir.Node) *ir.Value {
	if c, ok := scalar(n.In[op.B]); ok && c == 1 {
		return n.In[op.A]
	}
	if c, ok := scalar(n.In[op.A]); ok && c == 1 && n.Is("Mul") {
		return n.In[op.B]
	}
	return nil
}

// plusNothing removes x - 0 and x + -0, which are exact; x + 0 would turn -0 into 0.
func plusNothing(f *fuser, n *ir.Node) *ir.Value {
	for i := range 2 {
		c, ok := scalar(n.In[1-i])
		switch {
		case !ok || c != 0 || i == 1 && n.Is("Sub"):
		case n.Is("Sub") != math.Signbit(c):
			return n.In[i]
		}
	}
	return nil
}

// reluMax recognizes max(x, 0).
func reluMax(f *fuser, n *ir.Node) *ir.Value {
	if len(n.In) != 2 {
		return nil
	}
	if c, x, ok := withConst(n); ok && c == 0 {
		return f.b.Op("Relu", x)
	}
	return nil
}

// reluClip recognizes clip(x, 0, ∞).
func reluClip(f *fuser, n *ir.Node) *ir.Value {
	if lo, hi, ok := bounds(n); ok && lo == 0 && math.IsInf(hi, 1) {
		return f.b.Op("Relu", n.In[op.X])
	}
	return nil
}

// reluRelu removes a Relu of a value that is not negative.
func reluRelu(f *fuser, n *ir.Node) *ir.Value {
	x := n.In[op.X]
	if f.def(x, "Relu") != nil {
		return x
	}
	if d := f.def(x, "Clip"); d != nil {
		if lo, hi, ok := bounds(d); ok && 0 <= lo && lo <= hi {
			return x
		}
	}
	return nil
}

// clipClip merges two clips, or a clip and a Relu before it.
func clipClip(f *fuser, n *ir.Node) *ir.Value {
	lo, hi, ok := bounds(n)
	d := f.sole(n.In[op.X], "Clip", "Relu")
	if !ok || d == nil {
		return nil
	}
	lo2, hi2, ok := bounds(d)
	if lo, hi = max(lo, lo2), min(hi, hi2); !ok || lo > hi {
		return nil
	}
	x := d.In[op.X]
	in := []*ir.Value{x, nil, nil}
	for i, c := range []float64{lo, hi} {
		if !math.IsInf(c, 2*i-1) {
			in[inMin+i] = f.constant(f.b.Prefix+[]string{"min", "max"}[i], x, []float64{c})
		}
	}
	return f.b.Op("Clip", in...)
}

// bounds returns the range to which a Clip or a Relu of floats limits its input, if it is constant.
func bounds(n *ir.Node) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if !n.In[op.X].Type.Elem.IsFloat() {
		return lo, hi, false
	}
	if n.Is("Relu") {
		return 0, hi, true
	}
	for i, b := range []*float64{&lo, &hi} {
		if v := n.Arg(inMin + i); v != nil {
			c, ok := scalar(v)
			if !ok || math.IsNaN(c) {
				return lo, hi, false
			}
			*b = c
		}
	}
	return lo, hi, true
}
