package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// def returns the node that defines v if it is one of the given operators, in the same region as the current
// node, and runs on the same peers.
func (f *fuser) def(v *ir.Value, ops ...string) *ir.Node {
	if v == nil || v.Def == nil {
		return nil
	}
	d := v.Def
	if !slices.Contains(ops, d.Op) || d.Domain != "" && d.Domain != op.Own || !replaceable(d) {
		return nil
	}
	if f.home[d] != f.home[f.n] || d.Class != f.n.Class {
		return nil
	}
	return d
}

// sole is like [fuser.def], for a value that is read in one place only, so that the node becomes unused with
// its reader.
func (f *fuser) sole(v *ir.Value, ops ...string) *ir.Node {
	if f.uses[v] != 1 {
		return nil
	}
	return f.def(v, ops...)
}

// scalar returns the content of a constant float of one element.
func scalar(v *ir.Value) (float64, bool) {
	if !v.IsConst() || v.Const.Len() != 1 {
		return 0, false
	}
	x := numbers(v)
	if x == nil {
		return 0, false
	}
	return x[0], true
}

// hasNumbers reports whether v is a constant of floats: [numbers] copies those of float32.
func hasNumbers(v *ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	switch v.Const.Data.(type) {
	case []float64, []float32:
		return true
	}
	return false
}

// numbers returns the content of a constant of floats, or nil.
func numbers(v *ir.Value) []float64 {
	if !v.IsConst() {
		return nil
	}
	switch d := v.Const.Data.(type) {
	case []float64:
		return d
	case []float32:
		out := make([]float64, len(d))
		for i, x := range d {
			out[i] = float64(x)
		}
		return out
	}
	return nil
}

// constant returns a constant of floats with the element type of like.
func (f *fuser) constant(name string, like *ir.Value, x []float64, shape ...int) *ir.Value {
	t := tensor.New(like.Type.Elem, shape...)
	switch d := t.Data.(type) {
	case []float64:
		copy(d, x)
	case []float32:
		for i, v := range x {
			d[i] = float32(v)
		}
	}
	return ir.NewConst(f.m.FreshName(name), t)
}

// weights returns modified weights as a constant. It has the name of v with a suffix.
func (f *fuser) weights(v *ir.Value, x []float64) *ir.Value {
	name, ok := f.origin[v]
	if !ok {
		name = v.Name
	}
	w := f.constant(name+"_fused", v, x, v.Const.Shape...)
	f.origin[w] = name
	return w
}

// biasOf returns a bias for the weights w.
func (f *fuser) biasOf(w *ir.Value, x []float64) *ir.Value {
	name, ok := f.origin[w]
	if !ok {
		name = w.Name
	}
	return f.constant(name+"_bias", w, x, len(x))
}

// is reports whether x is the constant want, in the precision of the current node.
func (f *fuser) is(x, want float64) bool { return equal(x, want, f.n.Out[0].Type.Elem) }

// equal reports whether x is the constant want, up to the precision in which exporters write a float32, or
// the last digits of a float64.
func equal(x, want float64, t tensor.DType) bool {
	digits := 1e-6
	if t == tensor.Float64 {
		digits = 1e-15
	}
	return math.Abs(x-want) <= digits*math.Abs(want)
}

// stored returns x as an attribute of a node that computes with like: ONNX stores a float32, which is enough unless like has
// more digits.
func stored(x float64, like *ir.Value) float64 {
	if like.Type.Elem == tensor.Float64 {
		return x
	}
	return float64(float32(x))
}

// isConst reports whether v is the constant want.
func isConst(v *ir.Value, want float64) bool {
	x, ok := scalar(v)
	return ok && equal(x, want, v.Type.Elem)
}

// withConst splits the inputs of a commutative operator into a constant scalar and the other input.
func withConst(n *ir.Node) (c float64, x *ir.Value, ok bool) {
	for i := range 2 {
		if c, ok := scalar(n.In[i]); ok {
			return c, n.In[1-i], true
		}
	}
	return 0, nil, false
}

// plus returns x if v is c + x and is read once.
func (f *fuser) plus(v *ir.Value, c float64) *ir.Value {
	d := f.sole(v, "Add")
	if d == nil {
		return nil
	}
	if have, x, ok := withConst(d); ok && f.is(have, c) {
		return x
	}
	return nil
}

// factors factors a product: n's output is c·Πxs. It looks through values that are read once.
func (f *fuser) factors(n *ir.Node) (c float64, xs []*ir.Value) {
	c = 1
	add := func(v *ir.Value) {
		k, vs := f.factorsOf(v)
		c *= k
		xs = append(xs, vs...)
	}
	switch n.Op {
	case "Mul":
		add(n.In[op.A])
		add(n.In[op.B])
	case "Div":
		k, ok := scalar(n.In[op.B])
		if !ok || k == 0 {
			return 1, n.Out
		}
		add(n.In[op.A])
		c /= k
	case "Neg":
		add(n.In[op.X])
		c = -c
	case "Pow":
		k, ok := scalar(n.In[op.B])
		if !ok || k != 2 && k != 3 {
			return 1, n.Out
		}
		for range int(k) {
			xs = append(xs, n.In[op.A])
		}
	}
	return c, xs
}

// factorsOf is [fuser.factors] of a value.
func (f *fuser) factorsOf(v *ir.Value) (c float64, xs []*ir.Value) {
	if k, ok := scalar(v); ok {
		return k, nil
	}
	if d := f.sole(v, "Mul", "Div", "Neg", "Pow"); d != nil {
		return f.factors(d)
	}
	return 1, []*ir.Value{v}
}

// isTimes reports whether v is c·xs….
func (f *fuser) isTimes(v *ir.Value, c float64, xs ...*ir.Value) bool {
	k, have := f.factorsOf(v)
	return f.is(k, c) && slices.Equal(have, xs)
}

// reshape returns x in a shape with the same number of elements. It is nil if no constant can express the
// shape.
func (f *fuser) reshape(x *ir.Value, shape []ir.Dim) *ir.Value {
	if ir.SameShape(x.Type.Shape, shape) {
		return x
	}
	to, wild := make([]int, len(shape)), false
	for i, d := range shape {
		k, ok := d.Const()
		switch {
		case ok && k > 0:
			to[i] = k
		case !ok && i < len(x.Type.Shape) && x.Type.Shape[i].Equal(d): // 0 keeps an axis
		case ok || wild:
			return nil
		default:
			to[i], wild = -1, true
		}
	}
	y := f.b.Op("Reshape", x, f.b.Ints(to...))
	if f.b.Err() != nil || !ir.SameShape(y.Type.Shape, shape) {
		return nil
	}
	return y
}
