package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Attrs returns attributes for a node that a rule builds. Integers become int64, and slices of them []int64.
func Attrs(pairs ...any) ir.Attrs {
	var out ir.Attrs
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i].(string), attrValue(pairs[i+1]))
	}
	return out
}

// attrValue converts a value to the form of attributes: integers to int64, bools to 0 or 1.
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

// OwnNode adds a node of the domain [Own] and returns its first output.
func OwnNode(b *ir.Builder, op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	return OwnNodes(b, op, 1, attrs, in...)[0]
}

// OwnNodes is like [OwnNode], for a node with count outputs.
func OwnNodes(b *ir.Builder, op string, count int, attrs ir.Attrs, in ...*ir.Value) []*ir.Value {
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

// Alike returns a node with the operator and the attributes of n, and other inputs.
func Alike(n *ir.Node, in []*ir.Value) *ir.Node {
	return &ir.Node{Op: n.Op, Domain: n.Domain, Version: n.Version, Attrs: n.Attrs, In: in}
}

// Instead builds a node that replaces n and binds n's symbols, which the readers of n's outputs already use.
func Instead(b *ir.Builder, n *ir.Node, op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	x := &ir.Node{Op: op, Name: b.Module.FreshName(b.Prefix + op), In: in, Attrs: attrs, Syms: n.Syms, Class: n.Class, Pos: n.Pos}
	x.Out = []*ir.Value{{Name: x.Name, Def: x}}
	return b.Add(x)[0]
}

// Output returns output i of n, which it creates if it was omitted.
func Output(b *ir.Builder, n *ir.Node, i int) *ir.Value {
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

// Cast returns v converted to another element type.
func Cast(b *ir.Builder, v *ir.Value, to tensor.DType) *ir.Value {
	return b.OpA("Cast", ir.Attrs{{Name: "to", Value: int64(to)}}, v)
}

// CastTo returns v converted to another element type, or v itself if it has that type.
func CastTo(b *ir.Builder, v *ir.Value, to tensor.DType) *ir.Value {
	if v == nil || v.Type.Elem == to {
		return v
	}
	return Cast(b, v, to)
}

// elemOf returns the element type of v. After an error v may have none, and what is built then is not used.
func elemOf(b *ir.Builder, v *ir.Value) tensor.DType {
	if b.Err() != nil {
		return tensor.Float32
	}
	return v.Type.Elem
}

// ScalarLike returns a constant with the element type of v.
func ScalarLike(b *ir.Builder, v *ir.Value, x float64) *ir.Value { return b.Scalar(elemOf(b, v), x) }

// Fill returns a tensor of x's shape with all elements v.
func Fill(b *ir.Builder, x *ir.Value, v float64) *ir.Value {
	one := tensor.New(elemOf(b, x), 1)
	f := tensor.FromFloat(one.DType, v)
	copy(one.Bytes(), f.Bytes())
	return b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: one}}, ShapeOf(b, x))
}

// ZeroUnless returns v where cond is true, and 0 elsewhere.
func ZeroUnless(b *ir.Builder, cond, v *ir.Value) *ir.Value {
	return b.Op("Where", cond, v, ScalarLike(b, v, 0))
}

// ShapeOf returns the shape of x as an operand, which is a constant if it is known.
func ShapeOf(b *ir.Builder, x *ir.Value) *ir.Value {
	if s, ok := x.Type.Static(); ok {
		return b.Ints(s...)
	}
	return b.Op("Shape", x)
}

// SizeOf returns the size of an axis of x as an operand: an integer vector of one element.
func SizeOf(b *ir.Builder, x *ir.Value, axis int) *ir.Value {
	if n, ok := Shape(x)[axis].Const(); ok {
		return b.Ints(n)
	}
	return b.OpA("Shape", Attrs("start", axis, "end", axis+1), x)
}

// SizesAlong returns the sizes of vs along an axis.
func SizesAlong(b *ir.Builder, vs []*ir.Value, axis int) *ir.Value {
	sizes := make([]ir.Dim, len(vs))
	for i, v := range vs {
		sizes[i] = Shape(v)[axis]
	}
	if k, ok := ir.Static(sizes); ok {
		return b.Ints(k...)
	}
	parts := make([]*ir.Value, len(vs))
	for i, v := range vs {
		parts[i] = b.OpA("Shape", Attrs("start", axis, "end", axis+1), v)
	}
	return b.OpA("Concat", Attrs("axis", 0), parts...)
}

// CountOf returns the number of elements of x for each element of y.
func CountOf(b *ir.Builder, x, y *ir.Value) *ir.Value {
	if d, ok := Len(x).Quo(Len(y)); ok {
		if c, ok := d.Const(); ok {
			return ScalarLike(b, x, float64(c))
		}
	}
	return CastTo(b, b.Op("Div", b.Op("Size", x), b.Op("Size", y)), x.Type.Elem)
}

// ReshapeLike returns v in the shape of x, which must have the same number of elements.
func ReshapeLike(b *ir.Builder, v, x *ir.Value) *ir.Value {
	if ir.SameShape(Shape(v), Shape(x)) {
		return v
	}
	if slices.ContainsFunc(Shape(x), func(d ir.Dim) bool { return d.Is(0) }) { // a size otherwise, and not that of an axis of v
		return b.OpA("Reshape", Attrs("allowzero", 1), v, ShapeOf(b, x))
	}
	return b.Op("Reshape", v, ShapeOf(b, x))
}

// SwapLast transposes the matrices in v.
func SwapLast(b *ir.Builder, v *ir.Value) *ir.Value {
	perm := AllAxes(len(Shape(v)))
	k := len(perm)
	perm[k-2], perm[k-1] = k-1, k-2
	return b.OpA("Transpose", Attrs("perm", perm), v)
}

// UpTo returns the integers from 0 to n-1, where n is a vector of one element.
func UpTo(b *ir.Builder, n *ir.Value) *ir.Value {
	zero, one := b.Scalar(tensor.Int64, 0), b.Scalar(tensor.Int64, 1)
	return b.Op("Range", zero, b.Op("Squeeze", n, b.Ints(0)), one)
}

// Along returns a vector reshaped to the given rank, so that it is along an axis.
func Along(b *ir.Builder, v *ir.Value, axis, rank int) *ir.Value {
	shape := slices.Repeat([]int{1}, rank)
	shape[axis] = -1
	return b.Op("Reshape", v, b.Ints(shape...))
}

// Leading returns the first n elements along an axis, where n is a vector of one element.
func Leading(b *ir.Builder, v, n *ir.Value, axis int) *ir.Value {
	return b.Op("Slice", v, b.Ints(0), n, b.Ints(axis))
}
