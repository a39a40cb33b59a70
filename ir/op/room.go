package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// checkRoom is the kernel that bounds the size of a tensor.
const checkRoom = "CheckRoom"

// room has the run check outputs that may be far larger than what the node reads,
// before anything allocates them: those whose sizes the node has counted, since an input
// of a few bytes can ask for any, and those that have a product of more sizes than all
// inputs.
func (l *Lowering) room() {
	counted := 0 // calls up to the last one that counts
	for i, c := range l.Calls {
		if len(c.Binds) > 0 {
			counted = i + 1
		}
	}
	var checks []Call
	for _, v := range l.Out {
		if isTensor(v) && (slices.ContainsFunc(Shape(v), l.counts) || l.multiplies(v)) {
			checks = append(checks, Call{Kernel: checkRoom, Args: []any{v.Type.Elem.Size(), Shape(v)}})
		}
	}
	l.Calls = slices.Insert(l.Calls, counted, checks...)
}

// counts reports whether d is made of what calls of the node return.
func (l *Lowering) counts(d ir.Dim) bool {
	found := false
	d.Syms(func(s string) { found = found || slices.Contains(l.Syms, s) })
	return found
}

// multiplies reports whether the number of elements of v is a product of more sizes
// than that of each input.
func (l *Lowering) multiplies(v *ir.Value) bool {
	n := degree(Len(v))
	return n > 1 && !slices.ContainsFunc(l.In, func(x *ir.Value) bool { return isTensor(x) && degree(Len(x)) >= n })
}

// degree returns how many symbols and functions of them the longest product in d has.
func degree(d ir.Dim) int {
	most := 0
	for _, t := range d.Terms() {
		most = max(most, len(t.Factors))
	}
	return most
}
