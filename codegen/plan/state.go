package plan

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// keepStates places the states. States with an initial value come first, so that all initial values are one
// block of bytes.
func (b *builder) keepStates(f *ir.Func) {
	states := slices.Clone(f.State)
	slices.SortStableFunc(states, func(x, y *ir.State) int { return begins(y) - begins(x) })
	off := 0
	for i, s := range states {
		x := b.place(s.Param, Kept, i)
		b.States = append(b.States, &State{State: s, Var: x, Off: off})
		b.half = b.half || s.Kind == ir.Gradient
		off += x.bytes()
		b.bindShape(s.Param)
		b.bindElems(s.Param)
	}
	b.last, b.base = lastReaders(f)
	for _, s := range b.States {
		if v := root(b.base, s.Next); b.becomesAtOnce(f, s.State, v) {
			b.byValue[v] = s.Var
		}
	}
}

// becomesAtOnce reports whether v, which the next value of a state is a view of, may be computed directly in
// the memory of the state. This requires that no step reads the state in this run, and that its content after
// a failed run is irrelevant. A gradient is then complete in its place while the run still computes other
// gradients.
func (b *builder) becomesAtOnce(f *ir.Func, s *ir.State, v *ir.Value) bool {
	n := v.Def
	if s.Kind != ir.Gradient || n == nil || !slices.Contains(f.Body.Nodes, n) || v.Type.Elem != s.Param.Type.Elem {
		return false
	}
	if o := op.Lookup(n); o == nil || o.Flow != op.NoFlow || len(o.Updates) > 0 {
		return false
	}
	uses := 0 // of the state, and of v at the end
	late := slices.Clone(f.Body.Results)
	for _, t := range f.State {
		late = append(late, t.Next)
	}
	for _, x := range late {
		if root(b.base, x) == v || x == s.Param {
			uses++
		}
	}
	f.Body.Walk(func(n *ir.Node) {
		if slices.Contains(n.In, s.Param) {
			uses++
		}
	})
	return uses == 1
}

// begins returns 1 for a state with an initial value other than zero, and 0 otherwise.
func begins(s *ir.State) int {
	if s.Init != nil {
		return 1
	}
	return 0
}

// nextStates assigns the next values of all states simultaneously.
func (b *builder) nextStates() {
	var params, next []*ir.Value
	for _, s := range b.States {
		params, next = append(params, s.Param), append(next, s.Next)
	}
	b.Steps = append(b.Steps, b.assign(params, next)...)
}

// updates places the outputs of a node that changes inputs in place. An output uses the memory of its input
// if that belongs to the function and is unused afterwards; otherwise, the input is copied.
func (b *builder) updates(o *op.Op, n *ir.Node) []Step {
	var steps []Step
	for i, k := range o.Updates {
		y, x := n.Res(i), n.Arg(k)
		if y == nil || x == nil {
			continue
		}
		from := b.use(x)
		own := from.Place == Kept || from.Place == Arena || from.Place == Slot
		if own && b.last[root(b.base, x)] == n {
			b.byValue[y] = from
			continue
		}
		to := b.define(y)
		steps = append(steps, &Grow{to}, &Copy{Dst: to, Src: from, from: x})
	}
	return steps
}

// defineEither returns the variable for an output of an If. It is that of a state if the else branch returns
// the state unchanged and the state is unused afterwards.
func (b *builder) defineEither(n *ir.Node, v *ir.Value) {
	if r := n.Region("else_branch"); r != nil && len(r.Results) == len(n.Out) {
		same := r.Results[slices.Index(n.Out, v)]
		x := b.byValue[same]
		if x != nil && x.Place == Kept && b.passed(same, n) {
			b.byValue[v] = x
			return
		}
	}
	b.define(v)
}

// passed reports whether a value has no reader after n.
func (b *builder) passed(v *ir.Value, n *ir.Node) bool {
	last := b.last[root(b.base, v)]
	found := last != nil && b.planned[last]
	(&ir.Region{Nodes: []*ir.Node{n}}).Walk(func(in *ir.Node) { found = found || in == last })
	return found
}

// lastReaders returns the last node that reads each value or a view of it, in the order of execution; base
// maps a view to its value. Values that a loop reads from outside, and values read at the end of the run,
// have no last reader.
func lastReaders(f *ir.Func) (last map[*ir.Value]*ir.Node, base map[*ir.Value]*ir.Value) {
	last, base = map[*ir.Value]*ir.Node{}, map[*ir.Value]*ir.Value{}
	f.Body.Walk(func(n *ir.Node) {
		for _, v := range n.In {
			last[root(base, v)] = n
		}
		if o := op.Lookup(n); o != nil && o.Alias && n.Arg(0) != nil {
			base[n.Out[0]] = root(base, n.In[0])
		}
	})
	late := slices.Clone(f.Body.Results)
	for _, s := range f.State {
		if s.Next != s.Param {
			late = append(late, s.Next)
		}
	}
	inLoops(f.Body, func(v *ir.Value) { late = append(late, v) })
	for _, v := range late {
		delete(last, root(base, v))
	}
	return last, base
}

// root returns the value that v is a view of, or v itself.
func root(base map[*ir.Value]*ir.Value, v *ir.Value) *ir.Value {
	if x := base[v]; x != nil {
		return x
	}
	return v
}

// inLoops calls f for the values that the bodies of loops read from outside.
func inLoops(r *ir.Region, f func(v *ir.Value)) {
	r.Walk(func(n *ir.Node) {
		if o := op.Lookup(n); o == nil || o.Flow != op.Iterate && o.Flow != op.ScanFlow {
			return
		}
		for _, in := range n.Regions {
			for _, v := range in.Captures() {
				f(v)
			}
		}
	})
}

// checkStates reports states of unknown size.
func (b *builder) checkStates() error {
	for _, s := range b.States {
		if n := s.Var.bytes(); n < 0 || s.Param.Type.Kind != ir.Tensor || s.Param.Type.Elem.Size() == 0 {
			return fmt.Errorf("state %q is %s, want numbers of a known size", s.Param.Name, s.Param.Type)
		}
		if !s.Next.Type.Equal(s.Param.Type) {
			return fmt.Errorf("state %q is %s, and becomes %s", s.Param.Name, s.Param.Type, s.Next.Type)
		}
	}
	return nil
}
