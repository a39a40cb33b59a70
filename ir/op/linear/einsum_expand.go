package linear

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// expandEinsum multiplies the operands from left to right, each time as a
// matrix product where axes are summed up.
func expandEinsum(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if op.Small(n) {
		return op.Widened(b, n), nil
	}
	var types []ir.Type
	for _, v := range n.In {
		types = append(types, v.Type)
	}
	eq, err := parseEquation(n.Str("equation"), types)
	if err != nil {
		return nil, err
	}
	dtype := n.In[op.X].Type.Elem
	operands := make([]term, len(n.In))
	for i, v := range n.In {
		if !elem.Reducible.Has(dtype) { // the lower bits of a sum do not depend on the upper ones
			v = op.Cast(b, v, tensor.Int32)
		}
		operands[i] = term{b, v, eq.in[i]}.diagonal().squeezed(eq)
	}
	acc := operands[0]
	for i, t := range operands[1:] {
		keep := slices.Clone(eq.out)
		for _, later := range operands[i+2:] {
			keep = append(keep, later.labels...)
		}
		acc = acc.times(t, keep)
	}
	acc = acc.sum(eq.out).order(eq.out)
	if acc.v.Type.Elem != dtype {
		acc.v = op.Cast(b, acc.v, dtype)
	}
	return []*ir.Value{acc.v}, nil
}

// term is a tensor with a label for each axis.
type term struct {
	b      *ir.Builder
	v      *ir.Value
	labels []rune
}

// diagonal merges axes with the same label.
func (t term) diagonal() term {
	elem := t.v.Type.Elem
	for k, l := range t.labels {
		first := slices.Index(t.labels, l)
		if first == k {
			continue
		}
		axes := []int{} // the remaining axes, then the two
		for i := range t.labels {
			if i != first && i != k {
				axes = append(axes, i)
			}
		}
		t = t.permuted(append(axes, first, k))
		last := len(t.labels) - 1
		n := t.b.OpA("Shape", ir.Attrs{{Name: "start", Value: int64(last - 1)}}, t.v)
		square := t.b.Op("ConstantOfShape", n)
		eye := t.b.OpA("EyeLike", ir.Attrs{{Name: "dtype", Value: int64(tensor.Bool)}}, square)
		v := t.b.Op("Where", eye, t.v, t.b.Scalar(elem, 0))
		v = t.b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(0)}}, v, t.b.Ints(last))
		return term{t.b, v, t.labels[:last]}.diagonal()
	}
	return t
}

// squeezed drops the axes of size 1 that broadcast to those of other terms.
func (t term) squeezed(eq *equation) term {
	var axes []int
	var labels []rune
	for i, d := range op.Shape(t.v) {
		if d.Is(1) && !eq.size[t.labels[i]].Is(1) {
			axes = append(axes, i)
			continue
		}
		labels = append(labels, t.labels[i])
	}
	if len(axes) == 0 {
		return t
	}
	return term{t.b, t.b.Op("Squeeze", t.v, t.b.Ints(axes...)), labels}
}

// sum adds up along the axes that are not to be kept.
func (t term) sum(keep []rune) term {
	var axes []int
	var labels []rune
	for i, l := range t.labels {
		if slices.Contains(keep, l) {
			labels = append(labels, l)
			continue
		}
		axes = append(axes, i)
	}
	if len(axes) == 0 {
		return t
	}
	return term{t.b, t.b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(0)}}, t.v, t.b.Ints(axes...)), labels}
}

// order brings the axes into the order of labels.
func (t term) order(labels []rune) term {
	if slices.Equal(t.labels, labels) {
		return t
	}
	axes := make([]int, len(labels))
	for i, l := range labels {
		axes[i] = slices.Index(t.labels, l)
	}
	return t.permuted(axes)
}

// permuted brings the axes into the given order.
func (t term) permuted(axes []int) term {
	perm := make([]int64, len(axes))
	labels := make([]rune, len(axes))
	for i, a := range axes {
		perm[i], labels[i] = int64(a), t.labels[a]
	}
	return term{t.b, t.b.OpA("Transpose", ir.Attrs{{Name: "perm", Value: perm}}, t.v), labels}
}

// sizes returns a vector with the number of elements along each group of axes.
func (t term) sizes(groups ...[]rune) *ir.Value {
	var out []*ir.Value
	for _, g := range groups {
		size := t.b.Ints(1)
		for i, l := range g {
			at := int64(slices.Index(t.labels, l))
			d := t.b.OpA("Shape", ir.Attrs{{Name: "start", Value: at}, {Name: "end", Value: at + 1}}, t.v)
			if i > 0 {
				d = t.b.Op("Mul", size, d)
			}
			size = d
		}
		out = append(out, size)
	}
	return t.b.OpA("Concat", ir.Attrs{{Name: "axis", Value: int64(0)}}, out...)
}

// merge makes one axis of each of two groups, which are the last axes.
func (t term) merge(batch, first, second []rune) *ir.Value {
	v := t.order(slices.Concat(batch, first, second)).v
	if len(first) == 1 && len(second) == 1 {
		return v
	}
	groups := [][]rune{}
	for _, l := range batch {
		groups = append(groups, []rune{l})
	}
	return t.b.Op("Reshape", v, t.sizes(append(groups, first, second)...))
}

// times returns the product of t and u, summed up along the axes that are not to be
// kept.
func (t term) times(u term, keep []rune) term {
	t = t.sum(append(slices.Clone(keep), u.labels...))
	u = u.sum(append(slices.Clone(keep), t.labels...))
	var batch, inner, left, right []rune
	for _, l := range t.labels {
		switch both, kept := slices.Contains(u.labels, l), slices.Contains(keep, l); {
		case both && kept:
			batch = append(batch, l)
		case both:
			inner = append(inner, l)
		default:
			left = append(left, l)
		}
	}
	for _, l := range u.labels {
		if !slices.Contains(t.labels, l) {
			right = append(right, l)
		}
	}
	out := slices.Concat(batch, left, right)
	if len(inner) == 0 {
		x := t.order(slices.Concat(batch, left)).unsqueezed(out)
		y := u.order(slices.Concat(batch, right)).unsqueezed(out)
		return term{t.b, t.b.Op("Mul", x, y), out}
	}
	v := t.b.Op("MatMul", t.merge(batch, left, inner), u.merge(batch, inner, right))
	if len(left) == 1 && len(right) == 1 {
		return term{t.b, v, out}
	}
	var shape []*ir.Value
	for _, l := range out {
		from := t
		if slices.Contains(right, l) {
			from = u
		}
		shape = append(shape, from.sizes([]rune{l}))
	}
	if len(shape) == 0 {
		return term{t.b, t.b.Op("Reshape", v, t.b.Ints()), out}
	}
	to := t.b.OpA("Concat", ir.Attrs{{Name: "axis", Value: int64(0)}}, shape...)
	return term{t.b, t.b.Op("Reshape", v, to), out}
}

// unsqueezed adds an axis of size 1 to t for each missing label.
func (t term) unsqueezed(labels []rune) *ir.Value {
	var axes []int
	for i, l := range labels {
		if !slices.Contains(t.labels, l) {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		return t.v
	}
	return t.b.Op("Unsqueeze", t.v, t.b.Ints(axes...))
}
