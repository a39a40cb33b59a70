package plan

import "github.com/bbgen/bbgen/ir"

// Walk is how an operand runs along with the rows of a chain. Those that are
// neither Along nor Single set how long the rows are.
type Walk struct {
	Kind WalkKind
	Each ir.Dim // PerRow: for how many rows one after the other a part is; 1 is usual
	Run  bool   // PerRow: a part is as long as a row, not one element
}

// WalkKind is a kind of [Walk].
type WalkKind uint8

// The kinds of walks.
const (
	Along   WalkKind = iota // element by element
	Single                  // one element for all, or all for each
	EachRow                 // the same row for each
	PerRow                  // a part of its own for each row, or for some; it begins again if there are more
)

// walkOf returns how an operand of shape s runs along with a result of shape y, and
// how long a row is then, in elements: 0 where that does not matter. It reports
// false for what rows of one length do not describe.
func walkOf(s, y []ir.Dim) (w Walk, row ir.Dim, ok bool) {
	switch {
	case ir.Size(s).Is(1):
		return Walk{Kind: Single}, ir.C(0), true
	case ir.SameShape(s, y):
		return Walk{}, ir.C(0), true
	}
	axes, ok := mergedAxes(s, y)
	if !ok || len(axes) == 0 {
		return w, row, false
	}
	last := axes[len(axes)-1]
	if len(axes) == 1 { // axes of one element, of which y has more
		return Walk{}, ir.C(0), last.has
	}
	if len(axes) == 2 && last.has {
		return Walk{Kind: EachRow}, last.size, true
	}
	w = Walk{Kind: PerRow, Each: ir.C(1), Run: last.has}
	axes = axes[:len(axes)-1]
	if n := len(axes) - 1; w.Run {
		w.Each, axes = axes[n].size, axes[:n]
	}
	return w, last.size, len(axes) == 1 || len(axes) == 2
}

// axis is some axes of a result together. An operand has all of them, or none.
type axis struct {
	size ir.Dim
	has  bool
}

// mergedAxes returns the axes of y that an operand of shape s has and has not, in
// turns.
func mergedAxes(s, y []ir.Dim) ([]axis, bool) {
	var out []axis
	for i, n := range y {
		if n.Is(1) {
			continue
		}
		k := i - (len(y) - len(s))
		has := k >= 0 && !s[k].Is(1)
		if has && !s[k].Equal(n) {
			return nil, false
		}
		if last := len(out) - 1; last >= 0 && out[last].has == has {
			out[last].size = out[last].size.Mul(n)
			continue
		}
		out = append(out, axis{n, has})
	}
	return out, true
}
