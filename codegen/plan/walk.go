package plan

import "github.com/bbgen/bbgen/ir"

// Walk describes how an operand is traversed along the rows of a chain. Operands other than Along and Single
// determine the length of rows.
type Walk struct {
	Kind WalkKind
	Each ir.Dim // PerRow: number of consecutive rows for which a part is used; usually 1
	Run  bool   // PerRow: a part is a row, and not one element
}

// WalkKind is a kind of [Walk].
type WalkKind uint8

// The kinds of walks.
const (
	Along   WalkKind = iota // element by element
	Single                  // one element for all
	EachRow                 // the same row for each row
	PerRow                  // a part for each row, or for several rows; repeated if there are more
)

// walkOf returns how an operand of shape s is traversed for a result of shape y, and the length of a row in
// elements, or 0 if any length is possible. It returns false if rows of one length cannot describe it.
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
	if len(axes) == 1 { // s has axes of one element where y has more
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

func (w Walk) equal(v Walk) bool {
	return w.Kind == v.Kind && w.Run == v.Run && w.Each.Equal(v.Each)
}

// shorter returns the walk along rows of a part of their length. It returns false if there is none, or if it
// would be slower: an element of a row would have to be repeated for the parts of that row.
func (w Walk) shorter() (Walk, bool) {
	switch {
	case w.Kind == Along || w.Kind == Single:
		return w, true
	case w.Kind == EachRow || w.Run && w.Each.Is(1):
		return Walk{Kind: PerRow, Each: ir.C(1), Run: true}, true
	}
	return w, false
}

// commonWalks returns walks along rows of length x and others along rows of length y as walks along rows of
// one length, which is one of the two. It returns false if there are none, or if the walks of an operand
// differ.
func commonWalks(x, y ir.Dim, of, other map[*Var]Walk) (row ir.Dim, _, _ map[*Var]Walk, ok bool) {
	row = x
	switch {
	case x.Is(0):
		row = y
	case y.Is(0) || x.Equal(y):
	default:
		if _, ok := x.Quo(y); ok {
			row = y
		} else if _, ok := y.Quo(x); !ok {
			return row, nil, nil, false
		}
	}
	of, ok = walksAlong(row, x, of)
	other, also := walksAlong(row, y, other)
	for v, w := range of {
		if u, both := other[v]; both && !u.equal(w) {
			return row, nil, nil, false
		}
	}
	return row, of, other, ok && also
}

// walksAlong returns walks along rows of length was as walks along rows of the length row, which divides it.
func walksAlong(row, was ir.Dim, walks map[*Var]Walk) (map[*Var]Walk, bool) {
	out := map[*Var]Walk{}
	for x, w := range walks {
		if !was.Is(0) && !was.Equal(row) {
			var ok bool
			if w, ok = w.shorter(); !ok {
				return nil, false
			}
		}
		out[x] = w
	}
	return out, true
}

// axis is a group of axes of a result. An operand has either all of them or none.
type axis struct {
	size ir.Dim
	has  bool
}

// mergedAxes returns the axes of y in groups that alternate between those that an operand of shape s has and
// has not.
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
