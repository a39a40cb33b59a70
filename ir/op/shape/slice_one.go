package shape

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// If scripts read indices as x[i:i+1], only the data determine whether the result has an element, as i may be
// beyond the end. When such an empty vector is an operand of a Slice, the Slice has no effect, the same as
// from 0 to the end.

// adaptSlice rewrites a Slice with at most one axis, depending on data, to have exactly one axis.
func adaptSlice(b *ir.Builder, n *ir.Node) {
	start, end := n.Arg(sliceStarts), n.Arg(sliceEnds)
	if n.Arg(sliceAxes) != nil || n.Arg(sliceSteps) != nil || !oneAtMost(start) && !oneAtMost(end) {
		return
	}
	if oneAtMost(start) {
		n.In[sliceStarts] = firstOr(b, start, 0)
	}
	if oneAtMost(end) {
		n.In[sliceEnds] = firstOr(b, end, math.MaxInt)
	}
}

// firstOr returns the first element of v, and other if it has none.
func firstOr(b *ir.Builder, v *ir.Value, other int) *ir.Value {
	v = op.CastTo(b, v, tensor.Int64)
	return op.Leading(b, b.OpA("Concat", op.Attrs("axis", 0), v, b.Ints(other)), b.Ints(1), 0)
}

// oneAtMost reports whether v is a vector that a Slice has made, with one element or with none if it was out
// of range.
func oneAtMost(v *ir.Value) bool {
	v = uncast(v)
	if v == nil || !v.Type.Ranked || len(v.Type.Shape) != 1 || !v.Def.Is("Slice") || v.Def.Arg(sliceSteps) != nil {
		return false
	}
	if _, ok := v.Type.Shape[0].Const(); ok {
		return false
	}
	return follows(v.Def.Arg(sliceEnds), v.Def.Arg(sliceStarts))
}

// follows reports whether v is x+1, where both are the sum of one value and a number.
func follows(v, x *ir.Value) bool {
	a, i := shifted(v)
	b, k := shifted(x)
	return a == b && a != nil && i.Equal(k.Add(ir.C(1)))
}

// shifted returns v as the sum of a value and a number.
func shifted(v *ir.Value) (*ir.Value, ir.Dim) {
	v = uncast(v)
	if v != nil && v.Def.Is("Add") {
		for i, x := range v.Def.In {
			if d, ok := op.KnownInteger(v.Def.In[1-i]); ok {
				return uncast(x), d
			}
		}
	}
	return v, ir.C(0)
}

// uncast returns the value of which v is a copy, or a copy in another type.
func uncast(v *ir.Value) *ir.Value {
	for v != nil && (v.Def.Is("Identity") || v.Def.Is("Cast") || v.Def.Is("CastLike")) && v.Def.Arg(op.X) != nil {
		v = v.Def.In[op.X]
	}
	return v
}
