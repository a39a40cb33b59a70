package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ZeroGrad is the gradient of operators that are constant almost everywhere:
// Floor, Sign, comparisons.
func ZeroGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return make([]*ir.Value, len(n.In))
}

// NoGrad is what a gradient gives for an input by which the operator cannot be
// differentiated, although it has floats.
var NoGrad = &ir.Value{Name: "no gradient"}

// unbroadcast sums a gradient over the axes along which x was repeated, so that
// it has the shape of x. Where only the run tells which axes these are, a kernel
// finds out.
func unbroadcast(b *ir.Builder, dx, x *ir.Value) *ir.Value {
	from, to := Shape(dx), Shape(x)
	if ir.SameShape(from, to) {
		return dx
	}
	lead := len(from) - len(to)
	var axes []int
	for i := range from {
		switch {
		case i < lead || to[i-lead].Is(1) && !from[i].Is(1):
			axes = append(axes, i)
		case !to[i-lead].Equal(from[i]):
			return own(b, "SumTo", nil, dx, x)
		}
	}
	if len(axes) > 0 {
		dx = b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(1)}}, dx, b.Ints(axes...))
	}
	return reshapeLike(b, dx, x)
}

// reshapeLike is v with the shape of x, which has as many elements.
func reshapeLike(b *ir.Builder, v, x *ir.Value) *ir.Value {
	if ir.SameShape(Shape(v), Shape(x)) {
		return v
	}
	return b.Op("Reshape", v, shapeOf(b, x))
}

// shapeOf is the shape of x as an operand: a constant where it is known.
func shapeOf(b *ir.Builder, x *ir.Value) *ir.Value {
	if s, ok := x.Type.Static(); ok {
		return b.Ints(s...)
	}
	return b.Op("Shape", x)
}

// scalarOf is a value of one element without its axes.
func scalarOf(b *ir.Builder, v *ir.Value) *ir.Value {
	if len(Shape(v)) == 0 {
		return v
	}
	return b.Op("Reshape", v, b.Ints())
}

// sumInto is the sum of all of v in the shape of x, which has one element.
func sumInto(b *ir.Builder, v, x *ir.Value) *ir.Value {
	return reshapeLike(b, b.OpA("ReduceSum", attr("keepdims", 0), v), x)
}

// where is v where the condition holds and 0 elsewhere.
func where(b *ir.Builder, cond, v *ir.Value) *ir.Value {
	return b.Op("Where", cond, v, scalarLike(b, v, 0))
}

// scalarLike is a constant with the element type of v.
func scalarLike(b *ir.Builder, v *ir.Value, x float64) *ir.Value { return b.Scalar(v.Type.Elem, x) }

// Fill is a tensor of x's shape whose elements are all v.
func Fill(b *ir.Builder, x *ir.Value, v float64) *ir.Value {
	one := tensor.New(x.Type.Elem, 1)
	f := tensor.FromFloat(x.Type.Elem, v)
	copy(one.Bytes(), f.Bytes())
	return b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: one}}, shapeOf(b, x))
}

// attr makes the attributes of a node that a rule builds: integers become
// int64, lists of them []int64.
func attr(pairs ...any) ir.Attrs {
	var out ir.Attrs
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i].(string), attrValue(pairs[i+1]))
	}
	return out
}

func attrValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case []int:
		out := make([]int64, len(v))
		for i, x := range v {
			out[i] = int64(x)
		}
		return out
	case int64, float64, string, []int64, []float64, []string, *tensor.Tensor:
		return v
	}
	panic(fmt.Sprintf("BUG: no attribute holds a %T", v))
}

// own adds a node of the domain [Own] and returns its first output.
func own(b *ir.Builder, op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	return ownN(b, op, 1, attrs, in...)[0]
}

// ownN is [own] for a node with count outputs.
func ownN(b *ir.Builder, op string, count int, attrs ir.Attrs, in ...*ir.Value) []*ir.Value {
	n := &ir.Node{Op: op, Domain: Own, Name: b.Module.FreshName(b.Prefix + op), In: in, Class: b.Class, Pos: b.Pos}
	for _, a := range attrs {
		n.Attrs.Set(a.Name, a.Value)
	}
	for i := range count {
		name := n.Name
		if i > 0 {
			name = b.Module.FreshName(fmt.Sprintf("%s_%d", n.Name, i))
		}
		n.Out = append(n.Out, &ir.Value{Name: name, Def: n})
	}
	return slices.Clone(b.Add(n))
}

// output is output i of n, which comes into being if it was left out.
func output(b *ir.Builder, n *ir.Node, i int) *ir.Value {
	for len(n.Out) <= i {
		n.Out = append(n.Out, nil)
	}
	if n.Out[i] == nil {
		n.Out[i] = &ir.Value{Name: b.Module.FreshName(fmt.Sprintf("%s_%d", n.Name, i)), Def: n}
		if err := b.Infer.Infer(b.Module, n); err != nil {
			panic(fmt.Sprintf("BUG: %s had types before: %v", n, err))
		}
	}
	return n.Out[i]
}

// like is inference for an output of the type of input i.
func like(i int) func(c *Infer) error {
	return func(c *Infer) error {
		x, err := floatInput(c, i)
		c.Out(0, x)
		return err
	}
}

// sizeOf is the size of an axis of x as an operand, an integer vector of one
// element.
func sizeOf(b *ir.Builder, x *ir.Value, axis int) *ir.Value {
	if n, ok := Shape(x)[axis].Const(); ok {
		return b.Ints(n)
	}
	return b.OpA("Shape", attr("start", axis, "end", axis+1), x)
}

// upTo is the integers from 0 to below n, a vector of one element.
func upTo(b *ir.Builder, n *ir.Value) *ir.Value {
	zero, one := b.Scalar(tensor.Int64, 0), b.Scalar(tensor.Int64, 1)
	return b.Op("Range", zero, b.Op("Squeeze", n, b.Ints(0)), one)
}

// along is a vector in a rank at which it runs along an axis.
func along(b *ir.Builder, v *ir.Value, axis, rank int) *ir.Value {
	shape := slices.Repeat([]int{1}, rank)
	shape[axis] = -1
	return b.Op("Reshape", v, b.Ints(shape...))
}

// leading is the first n elements along an axis, n being a vector of one element.
func leading(b *ir.Builder, v, n *ir.Value, axis int) *ir.Value {
	return b.Op("Slice", v, b.Ints(0), n, b.Ints(axis))
}

// alike is a node with the operator and the attributes of n, and other inputs.
func alike(n *ir.Node, in []*ir.Value) *ir.Node {
	return &ir.Node{Op: n.Op, Domain: n.Domain, Version: n.Version, Attrs: n.Attrs, In: in}
}

// gradientOf is inference for the gradient of an operator: its inputs are dy and
// those of the operator, whose inference is given, in the order at which they
// stand or as they are; its outputs are the gradients of the first of these. What
// the operator would refuse is refused.
func gradientOf(infer func(c *Infer) error, order ...int) func(c *Infer) error {
	return func(c *Infer) error {
		in := c.In[1:]
		if order != nil {
			in = make([]*ir.Value, len(order))
			for i, k := range order {
				in[i] = c.Arg(k)
			}
		}
		n := alike(c.Node, in)
		n.Name = c.Name
		n.Out = []*ir.Value{{Name: c.Name, Def: n}}
		inner := &Infer{Node: n, Module: c.Module}
		if err := infer(inner); err != nil {
			return err
		}
		c.Assume(inner.open...)
		dy, y := c.Type(0), n.Out[0].Type
		if dy.Elem != y.Elem {
			return fmt.Errorf("input %q is %s, want a gradient of %s", c.In[0].Name, dy, y)
		}
		for i := range c.Node.Out {
			t, err := floatInput(inner, i)
			if err != nil {
				return err
			}
			c.Out(i, t)
		}
		return hasShape(c, 0, y.Shape...)
	}
}

// sizesAlong is how many elements each of vs has along an axis.
func sizesAlong(b *ir.Builder, vs []*ir.Value, axis int) *ir.Value {
	sizes := make([]ir.Dim, len(vs))
	for i, v := range vs {
		sizes[i] = Shape(v)[axis]
	}
	if k, ok := ir.Static(sizes); ok {
		return b.Ints(k...)
	}
	parts := make([]*ir.Value, len(vs))
	for i, v := range vs {
		parts[i] = b.OpA("Shape", attr("start", axis, "end", axis+1), v)
	}
	return b.OpA("Concat", attr("axis", 0), parts...)
}

// biasGrad is the sum over all but the channels.
func biasGrad(b *ir.Builder, dy *ir.Value) *ir.Value {
	axes := allAxes(len(Shape(dy)))
	return b.OpA("ReduceSum", attr("keepdims", 0), dy, b.Ints(append(axes[:1:1], axes[2:]...)...))
}

// swapLast transposes matrices.
func swapLast(b *ir.Builder, v *ir.Value) *ir.Value {
	perm := allAxes(len(Shape(v)))
	k := len(perm)
	perm[k-2], perm[k-1] = k-1, k-2
	return b.OpA("Transpose", attr("perm", perm), v)
}

// countOf is how many elements of x stand for one of y.
func countOf(b *ir.Builder, x, y *ir.Value) *ir.Value {
	if d, ok := Len(x).Quo(Len(y)); ok {
		if c, ok := d.Const(); ok {
			return scalarLike(b, x, float64(c))
		}
	}
	return castTo(b, b.Op("Div", b.Op("Size", x), b.Op("Size", y)), x.Type.Elem)
}
