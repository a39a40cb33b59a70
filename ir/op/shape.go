package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Shape returns the shape of v.
func Shape(v *ir.Value) []ir.Dim { return v.Type.Shape }

// Len returns the number of elements of v.
func Len(v *ir.Value) ir.Dim { return ir.Size(v.Type.Shape) }

// Outer returns the product of the dims before axis.
func Outer(shape []ir.Dim, axis int) ir.Dim { return ir.Size(shape[:axis]) }

// Inner returns the product of the dims after axis.
func Inner(shape []ir.Dim, axis int) ir.Dim { return ir.Size(shape[axis+1:]) }

// SplitAxis returns the sizes before, of and after an axis. A scalar has one element along its only axis.
func SplitAxis(shape []ir.Dim, axis int) (outer, n, inner ir.Dim, err error) {
	if len(shape) == 0 {
		shape = ir.Cs(1)
	}
	axis, err = Axis(axis, len(shape))
	if err != nil {
		return
	}
	return Outer(shape, axis), shape[axis], Inner(shape, axis), nil
}

// Axis normalizes an axis to the range 0 ≤ axis < rank. Operators accept the axis 0 of a scalar.
func Axis(axis, rank int) (int, error) {
	switch {
	case rank == 0 && axis != 0:
		return 0, fmt.Errorf("axis is %d, and a scalar has no axes", axis)
	case axis < -rank || axis >= max(rank, 1):
		return 0, fmt.Errorf("axis is %d, want -%d to %d", axis, rank, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Axes normalizes a list of axes to the range 0 ≤ axis < rank. Duplicates are an error.
func Axes(axes []int, rank int) ([]int, error) {
	out := make([]int, len(axes))
	seen := map[int]bool{}
	for i, a := range axes {
		axis, err := Axis(a, rank)
		if err != nil {
			return nil, err
		}
		if rank == 0 || seen[axis] {
			return nil, fmt.Errorf("axes %v name axis %d twice or of a scalar", axes, axis)
		}
		seen[axis] = true
		out[i] = axis
	}
	return out, nil
}

// AllAxes returns 0, 1, …, rank-1.
func AllAxes(rank int) []int {
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// Broadcast returns the shape that shapes broadcast to, by numpy's rules.
func Broadcast(shapes ...[]ir.Dim) ([]ir.Dim, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]ir.Dim, rank)
	for i := range out {
		out[i] = ir.C(1)
	}
	for _, s := range shapes {
		for i, d := range s {
			o := &out[rank-len(s)+i]
			a, aok := o.Const()
			b, bok := d.Const()
			if aok && bok && a != b && a != 1 && b != 1 {
				return nil, fmt.Errorf("shapes %v do not broadcast", shapes)
			}
			*o = o.Bcast(d)
		}
	}
	return out, nil
}

// CheckNotNegative returns an error if a size is a negative constant.
func CheckNotNegative(shape []ir.Dim) error {
	for axis, d := range shape {
		if n, ok := d.Const(); ok && n < 0 {
			return fmt.Errorf("axis %d of the output would have size %d", axis, n)
		}
	}
	return nil
}

// OutSizes returns the shape of an output from sizes that may depend on data. Such sizes become symbols, so
// that a kernel checks them before use.
func (c *Infer) OutSizes(want []ir.Dim) []ir.Dim {
	shape := make([]ir.Dim, len(want))
	for i, d := range want {
		shape[i] = d
		if c.Module.FromData(d) {
			shape[i] = c.Fresh("dim")
		}
	}
	return shape
}

// CountSizes computes the symbols that [Infer.OutSizes] made for a shape.
func (l *Lowering) CountSizes(shape, want []ir.Dim) {
	k := 0
	for i, d := range shape {
		if l.IsSym(d, k) {
			l.Count(k, "Extent", []ir.Dim{want[i]}, l.Op)
			k++
		}
	}
}

// IsSym reports whether d is symbol k of the node.
func (l *Lowering) IsSym(d ir.Dim, k int) bool {
	s, ok := d.Symbol()
	return ok && k < len(l.Syms) && s == l.Syms[k]
}

func isTensor(v *ir.Value) bool { return v != nil && v.Type.Kind == ir.Tensor && v.Type.Known() }
