package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// checkRoom is the kernel that limits the size of a tensor.
const checkRoom = "CheckRoom"

// room adds checks of outputs that may be far larger than the inputs, before they are allocated: those of a
// size that the node has counted, as a small input can request any size, and those of a size that is a
// product of more factors than that of any input.
func (l *Lowering) room() {
	counted := 0 // index of the last call that counts
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

// counts reports whether d depends on results of the node's calls.
func (l *Lowering) counts(d ir.Dim) bool {
	found := false
	d.Syms(func(s string) { found = found || slices.Contains(l.Syms, s) })
	return found
}

// multiplies reports whether the number of elements of v is a product of more sizes than that of each input.
func (l *Lowering) multiplies(v *ir.Value) bool {
	n := degree(Len(v))
	return n > 1 && !slices.ContainsFunc(l.In, func(x *ir.Value) bool { return isTensor(x) && degree(Len(x)) >= n })
}

// degree returns the number of symbols and functions in the longest product of d.
func degree(d ir.Dim) int {
	most := 0
	for _, t := range d.Terms() {
		most = max(most, len(t.Factors))
	}
	return most
}
