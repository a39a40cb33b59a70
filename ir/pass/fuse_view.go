package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// view is the position of a value's elements in another value: element i, j, … is the one at at + i·step[0] +
// j·step[1] + ….
type view struct {
	size, step []ir.Dim
	at         ir.Dim
}

// whole returns a value as a view of itself.
func whole(v *ir.Value) *view {
	return &view{size: v.Type.Shape, step: steps(v.Type.Shape, ir.C(1)), at: ir.C(0)}
}

// steps returns the steps of consecutive elements that are last apart.
func steps(shape []ir.Dim, last ir.Dim) []ir.Dim {
	out := make([]ir.Dim, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = last
		last = last.Mul(shape[i])
	}
	return out
}

// moved returns the values of which v is only a part or a permutation, starting with v. The node that defines
// each value reads the next one, is in the same region as the current node, and runs on the same peers.
func (f *fuser) moved(v *ir.Value) []*ir.Value {
	out := []*ir.Value{v}
	for d := v.Def; d != nil && f.home[d] == f.home[f.n] && d.Class == f.n.Class && moves(d); {
		v = f.now(d.In[op.X])
		out = append(out, v)
		d = v.Def
	}
	return out
}

// moves reports whether a node's outputs are parts or permutations of its first input.
func moves(n *ir.Node) bool {
	return op.Lookup(n).Alias || n.Domain == "" && slices.Contains([]string{"Transpose", "Split", "Gather"}, n.Op)
}

// along returns the last one of some moved values as a view of the first, or nil if it is not a view.
func along(path []*ir.Value) *view {
	last := len(path) - 1
	w := whole(path[last])
	for k := last - 1; k >= 0 && w != nil; k-- {
		w = w.through(path[k])
	}
	return w
}

// moveRules simplify moves that [Layout] has added next to those of the graph.
var moveRules = rules{":Transpose": {movedBack}}

// movedBack replaces a Transpose that restores a previous order of elements by a Reshape.
func movedBack(f *fuser, n *ir.Node) *ir.Value {
	y := n.Out[0]
	path := f.moved(y)
	for i := len(path) - 1; i > 0 && y.Elems == nil; i-- {
		x, w := path[i], along(path[:i+1])
		if w != nil && ir.Size(x.Type.Shape).Equal(ir.Size(w.size)) && w.steps(steps(w.size, ir.C(1))) {
			return f.reshape(x, y.Type.Shape)
		}
	}
	return nil
}

// through returns the view of output v of a node that moves elements, or nil if it is not a view.
func (w *view) through(v *ir.Value) *view {
	n := v.Def
	switch {
	case op.Lookup(n).Alias:
		return w.reshaped(v.Type.Shape)
	case n.Op == "Transpose":
		out := &view{at: w.at}
		for _, p := range permOf(n) {
			out.size, out.step = append(out.size, w.size[p]), append(out.step, w.step[p])
		}
		return out
	case n.Op == "Split":
		axis, err := op.Axis(n.Int("axis"), len(w.size))
		if err != nil {
			return nil
		}
		out := &view{slices.Clone(w.size), w.step, w.at}
		for _, x := range n.Out[:slices.Index(n.Out, v)] {
			if x == nil {
				return nil
			}
			out.at = out.at.Add(x.Type.Shape[axis].Mul(w.step[axis]))
		}
		out.size[axis] = v.Type.Shape[axis]
		return out
	}
	return w.picked(n)
}

// picked returns the part of a view that Gather selects with one constant index.
func (w *view) picked(n *ir.Node) *view {
	axis, err := op.Axis(n.Int("axis"), len(w.size))
	i := n.In[inIndices]
	if err != nil || !i.IsConst() || i.Const.Len() != 1 {
		return nil
	}
	var at ir.Dim
	switch x := i.Const.Data.(type) {
	case []int64:
		at = ir.C(ir.Int(x[0]))
	case []int32:
		at = ir.C(int(x[0]))
	default:
		return nil
	}
	if k, _ := at.Const(); k < 0 {
		at = at.Add(w.size[axis])
	}
	ones := make([]ir.Dim, len(i.Const.Shape))
	for k := range ones {
		ones[k] = ir.C(1)
	}
	return &view{
		size: slices.Concat(w.size[:axis], ones, w.size[axis+1:]),
		step: slices.Concat(w.step[:axis], ones, w.step[axis+1:]),
		at:   w.at.Add(at.Mul(w.step[axis])),
	}
}

// reshaped returns the view in another shape. It is nil if axes would have to be merged that are not
// contiguous.
func (w *view) reshaped(shape []ir.Dim) *view {
	out := &view{size: shape, at: w.at}
	for i, j := 0, 0; i < len(w.size) || j < len(shape); {
		a, b, ok := sameSize(w.size[i:], shape[j:])
		if !ok {
			return nil
		}
		last := ir.C(1)
		joined := ir.Dim{} // the required step of the next axis
		for k := i + a - 1; k >= i; k-- {
			if w.size[k].Is(1) {
				continue
			}
			if joined.Is(0) {
				last = w.step[k]
			} else if !joined.Equal(w.step[k]) {
				return nil
			}
			joined = w.step[k].Mul(w.size[k])
		}
		out.step = append(out.step, steps(shape[j:j+b], last)...)
		i, j = i+a, j+b
	}
	return out
}

// sameSize returns the smallest numbers of leading axes of two shapes that have the same number of elements.
func sameSize(x, y []ir.Dim) (a, b int, ok bool) {
	for n := 1; n <= len(x)+len(y); n++ {
		for a := max(0, n-len(y)); a <= min(n, len(x)); a++ {
			if ir.Size(x[:a]).Equal(ir.Size(y[:n-a])) {
				return a, n - a, true
			}
		}
	}
	return 0, 0, false
}

// columns returns a tensor [batch, tokens, width] if v, [batch, heads, tokens, size], consists of its
// columns: the heads are consecutive from column at.
func (f *fuser) columns(v *ir.Value) (x *ir.Value, at int) {
	path := f.moved(v)
	s := v.Type.Shape
	for i := len(path) - 1; i > 0; i-- {
		x := path[i]
		shape := x.Type.Shape
		if len(shape) < 3 || !shape[0].Equal(s[0]) || !shape[1].Equal(s[2]) {
			continue
		}
		w := along(path[:i+1])
		width := ir.Size(shape[2:])
		if w == nil || !w.steps([]ir.Dim{s[2].Mul(width), s[3], width, ir.C(1)}) {
			continue
		}
		at, ok := w.at.Const()
		if _, fixed := width.Const(); !ok || !fixed || v.Type.Elem != tensor.Float32 && !width.Equal(s[1].Mul(s[3])) {
			continue
		}
		if len(shape) > 3 {
			x = f.b.Op("Reshape", x, ir.NewConst(f.m.FreshName(f.b.Prefix+"shape"), tensor.Of([]int64{0, 0, -1}, 3)))
		}
		return x, at
	}
	return nil, 0
}

// steps reports whether a view has the given steps, ignoring axes of size 1.
func (w *view) steps(want []ir.Dim) bool {
	for i, d := range w.size {
		if !d.Is(1) && !w.step[i].Equal(want[i]) {
			return false
		}
	}
	return true
}
