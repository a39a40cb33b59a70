package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// sizes makes the shape of an output from sizes that may depend on data: these
// get symbols, so that a kernel checks them before they are used.
func (c *Infer) sizes(want []ir.Dim) []ir.Dim {
	shape := make([]ir.Dim, len(want))
	for i, d := range want {
		shape[i] = d
		if c.Module.FromData(d) {
			shape[i] = c.Fresh("dim")
		}
	}
	return shape
}

// notNegative is an error if a size is a negative constant.
func notNegative(shape []ir.Dim) error {
	for axis, d := range shape {
		if n, ok := d.Const(); ok && n < 0 {
			return fmt.Errorf("axis %d of the output would have size %d", axis, n)
		}
	}
	return nil
}

// countSizes computes the symbols that [Infer.sizes] made for a shape.
func (l *Lowering) countSizes(shape, want []ir.Dim) {
	k := 0
	for i, d := range shape {
		if l.isSym(d, k) {
			l.Count(k, "Extent", []ir.Dim{want[i]}, l.Op)
			k++
		}
	}
}

// isSym reports whether d is symbol k of the node.
func (l *Lowering) isSym(d ir.Dim, k int) bool {
	s, ok := d.Symbol()
	return ok && k < len(l.Syms) && s == l.Syms[k]
}

// axesOf brings a list of axes into 0 ≤ axis < rank; none may occur twice.
func axesOf(axes []int, rank int) ([]int, error) {
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

// allAxes is 0, 1, …, rank-1.
func allAxes(rank int) []int {
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// instead builds a node that does the work of n and binds n's symbols, which
// the readers of n's outputs know already.
func instead(b *ir.Builder, n *ir.Node, op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	x := &ir.Node{Op: op, Name: b.Module.FreshName(b.Prefix + op), In: in, Attrs: attrs, Syms: n.Syms, Class: n.Class, Pos: n.Pos}
	x.Out = []*ir.Value{{Name: x.Name, Def: x}}
	return b.Add(x)[0]
}
