package pass

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// functionRules recognize functions that exporters expand into several nodes.
var functionRules = rules{
	":Mul": {gelu, swish, swiglu, hardSwish, mish, normalization, normScale, timesOne},
	":Div": {swishQuotient, hardSigmoid, gelu, hardSwish, normalization, softmaxQuotient, timesOne},
	":Add": {normShift, plusNothing, rotary},
	":Sub": {plusNothing},
	":Log": {logSoftmax},
	":Max": {reluMax},

	":Reciprocal": {sigmoidReciprocal},
	":Clip":       {reluClip, clipClip},
	":Relu":       {reluRelu},
}

// gelu recognizes x·c·(1+erf(x/√2)) for c = 1/2, and the approximation by tanh.
func gelu(f *fuser, n *ir.Node) *ir.Value {
	x, g := f.times(n, 0.5)
	if x == nil {
		return nil
	}
	for range 2 {
		d := f.sole(f.plus(g, 1), "Erf", "Tanh")
		switch {
		case d.Is("Erf") && f.isTimes(d.In[op.X], 1/math.Sqrt2, x):
			return f.b.Op("Gelu", x)
		case d.Is("Tanh") && f.isTanhArgument(d.In[op.X], x):
			return f.b.OpA("Gelu", op.Attrs("approximate", "tanh"), x)
		}
		x, g = g, x
	}
	return nil
}

// isTanhArgument reports whether v is √(2/π)·(x+0.044715·x³), or the same with x factored out.
func (f *fuser) isTanhArgument(v, x *ir.Value) bool {
	const cubic = 0.044715
	c, xs := f.factorsOf(v)
	if !f.is(c, math.Sqrt(2/math.Pi)) {
		return false
	}
	switch {
	case len(xs) == 1:
		d := f.sole(xs[0], "Add")
		return d != nil && (d.In[op.A] == x && f.isTimes(d.In[op.B], cubic, x, x, x) ||
			d.In[op.B] == x && f.isTimes(d.In[op.A], cubic, x, x, x))
	case len(xs) == 2 && xs[0] == x:
		return f.isTimes(f.plus(xs[1], 1), cubic, x, x)
	case len(xs) == 2 && xs[1] == x:
		return f.isTimes(f.plus(xs[0], 1), cubic, x, x)
	}
	return false
}

// times returns the two factors of n if n is c·x·y.
func (f *fuser) times(n *ir.Node, c float64) (x, y *ir.Value) {
	k, xs := f.factors(n)
	if !f.is(k, c) || len(xs) != 2 {
		return nil, nil
	}
	return xs[0], xs[1]
}

// swish recognizes x·sigmoid(alpha·x).
func swish(f *fuser, n *ir.Node) *ir.Value {
	x, s := f.times(n, 1)
	for range 2 {
		if d := f.sole(s, "Sigmoid"); d != nil {
			if alpha, xs := f.factorsOf(d.In[op.X]); len(xs) == 1 && xs[0] == x {
				return f.swish(x, alpha)
			}
		}
		x, s = s, x
	}
	return nil
}

// swish builds x·sigmoid(alpha·x).
func (f *fuser) swish(x *ir.Value, alpha float64) *ir.Value {
	attrs := ir.Attrs{}
	if alpha != 1 {
		attrs.Set("alpha", alpha)
	}
	return f.b.OpA("Swish", attrs, x)
}

// swiglu recognizes the product of a Swish with a value of the same shape.
func swiglu(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		if d := f.sole(v, "Swish"); d != nil && n.In[1-i].Type.Equal(v.Type) {
			return f.b.OpA("SwiGLU", d.Attrs, d.In[op.X], n.In[1-i])
		}
	}
	return nil
}

// swishQuotient recognizes x/(1+exp(-alpha·x)), and sigmoid, with numerator 1.
func swishQuotient(f *fuser, n *ir.Node) *ir.Value {
	alpha, x := f.logistic(n.In[op.B])
	switch {
	case x == nil:
		return nil
	case x == n.In[op.A]:
		return f.swish(x, alpha)
	case isConst(n.In[op.A], 1) && alpha == 1:
		return f.b.Op("Sigmoid", x)
	}
	return nil
}

// sigmoidReciprocal recognizes sigmoid(x), written 1/(1+exp(-x)) with a Reciprocal.
func sigmoidReciprocal(f *fuser, n *ir.Node) *ir.Value {
	if alpha, x := f.logistic(n.In[op.X]); x != nil && alpha == 1 {
		return f.b.Op("Sigmoid", x)
	}
	return nil
}

// logistic returns alpha and x if v is 1+exp(-alpha·x).
func (f *fuser) logistic(v *ir.Value) (alpha float64, x *ir.Value) {
	d := f.sole(f.plus(v, 1), "Exp")
	if d == nil {
		return 0, nil
	}
	c, xs := f.factorsOf(d.In[op.X])
	if len(xs) != 1 {
		return 0, nil
	}
	return -c, xs[0]
}

// hardSwish recognizes x·hardsigmoid(x) and x·clip(x+3, 0, 6)/6.
func hardSwish(f *fuser, n *ir.Node) *ir.Value {
	x, h := f.times(n, 1)
	for range 2 {
		d := f.sole(h, "HardSigmoid")
		if d != nil && d.In[op.X] == x && f.is(d.Float("alpha"), 1./6) && f.is(d.Float("beta"), 0.5) {
			return f.b.Op("HardSwish", x)
		}
		x, h = h, x
	}
	x, h = f.times(n, 1./6)
	for range 2 {
		if x != nil && f.relu6(h) == x {
			return f.b.Op("HardSwish", x)
		}
		x, h = h, x
	}
	return nil
}

// hardSigmoid recognizes clip(x+3, 0, 6)/6.
func hardSigmoid(f *fuser, n *ir.Node) *ir.Value {
	const alpha = float64(float32(1. / 6)) // as stored in an attribute
	c, xs := f.factors(n)
	if len(xs) != 1 || !f.is(c, 1./6) || !f.is(alpha, 1./6) {
		return nil
	}
	x := f.relu6(xs[0])
	if x == nil {
		return nil
	}
	return f.b.OpA("HardSigmoid", op.Attrs("alpha", alpha), x)
}

// relu6 returns x if v is clip(x+3, 0, 6).
func (f *fuser) relu6(v *ir.Value) *ir.Value {
	d := f.sole(v, "Clip")
	if d == nil {
		return nil
	}
	if lo, ok := scalar(d.Arg(inMin)); !ok || lo != 0 {
		return nil
	}
	if hi, ok := scalar(d.Arg(inMax)); !ok || hi != 6 {
		return nil
	}
	return f.plus(d.In[op.X], 3)
}

// mish recognizes x·tanh(softplus(x)).
func mish(f *fuser, n *ir.Node) *ir.Value {
	x, t := f.times(n, 1)
	for range 2 {
		if d := f.sole(t, "Tanh"); d != nil {
			if s := f.sole(d.In[op.X], "Softplus"); s != nil && s.In[op.X] == x {
				return f.b.Op("Mish", x)
			}
		}
		x, t = t, x
	}
	return nil
}
