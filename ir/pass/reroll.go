package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Reroll makes a Scan of a loop that an exporter has unrolled: of nodes that repeat once for each element of an
// axis, each time with the next slice of some tensors and with values of the previous time, and whose results a
// Concat joins. A Scan reads its slices in place, and its code is short.
var Reroll = &Pass{Name: "reroll", Run: reroll, After: []*Pass{CSE}}

// minIterations is the smallest number of iterations that become a Scan.
const minIterations = 4

func reroll(c *Context, m *ir.Module) error {
	found, err := rerollRegion(m, m.Main.Body)
	if err != nil || !found {
		return err
	}
	return dce(c, m) // rules of [Fuse] ask how many readers a value has: drop those that took slices
}

// rerollRegion reports whether it found a loop in r.
func rerollRegion(m *ir.Module, r *ir.Region) (found bool, err error) {
	home := map[*ir.Node]bool{}
	for _, n := range r.Nodes {
		home[n] = true
		for _, in := range n.Regions {
			inside, err := rerollRegion(m, in)
			if err != nil {
				return false, err
			}
			found = found || inside
		}
	}
	for _, n := range slices.Clone(r.Nodes) {
		if l := findLoop(m, r, home, n); l != nil {
			found = l.replace() || found
		}
	}
	if !found {
		return false, nil
	}
	return true, r.Sort() // a Scan may come after readers of its final states
}

// unrolled is an unrolled loop.
type unrolled struct {
	m     *ir.Module
	r     *ir.Region
	home  map[*ir.Node]bool       // the nodes of r
	join  *ir.Node                // the Concat of the results of the iterations
	lanes map[*ir.Value]*lane     // by the value of the first iteration
	nodes map[*ir.Node]bool       // of all iterations
	outer []*ir.Value             // what the loop reads: all of it must be defined before the loop
	by    map[*ir.Value]*ir.Value // values of the body by those of the first iteration, for slices

	params, inits []*ir.Value // of the states
	states        []*lane
	slices        []*ir.Value // parameters for slices
	tensors       []part      // the tensors that they are slices of
	body          []*ir.Node  // of the Scan
}

// lane is a value that each iteration computes by a node of the same kind.
type lane struct {
	at []*ir.Value // in each iteration
	in *ir.Value   // in the body of the Scan
}

// findLoop returns the unrolled loop whose results n joins, or nil.
func findLoop(m *ir.Module, r *ir.Region, home map[*ir.Node]bool, n *ir.Node) *unrolled {
	if !n.Is("Concat") || len(n.In) < minIterations || !replaceable(n) || n.Out[0].Elems != nil {
		return nil
	}
	l := &unrolled{
		m: m, r: r, home: home, join: n,
		lanes: map[*ir.Value]*lane{}, nodes: map[*ir.Node]bool{}, by: map[*ir.Value]*ir.Value{},
	}
	if l.value(n.In) == nil || l.lanes[n.In[op.X]] == nil || len(l.states) == 0 || len(l.slices) == 0 || !l.alone() || !l.before() {
		return nil
	}
	return l
}

// value returns the value of the body that stands for vs, one of each iteration, or nil if there is none.
func (l *unrolled) value(vs []*ir.Value) *ir.Value {
	first := vs[0]
	if first == nil || slices.Contains(vs, nil) {
		return nil
	}
	if !slices.ContainsFunc(vs, func(v *ir.Value) bool { return v != first }) {
		l.outer = append(l.outer, first)
		return first
	}
	for _, v := range vs {
		if !v.Type.Equal(first.Type) {
			return nil
		}
	}
	if x := l.lanes[first]; x != nil && slices.Equal(x.at, vs) {
		return x.in
	}
	if x := l.lanes[vs[1]]; x != nil && slices.Equal(x.at[:len(vs)-1], vs[1:]) {
		return l.state(x, first)
	}
	if p, ok := l.sliced(vs); ok {
		return l.slice(first, p)
	}
	return l.same(vs)
}

// state returns the parameter for the value of lane x in the previous iteration, which is init before the first.
func (l *unrolled) state(x *lane, init *ir.Value) *ir.Value {
	for i, s := range l.states {
		if s == x && l.inits[i] == init {
			return l.params[i]
		}
	}
	p := &ir.Value{Name: l.m.FreshName(x.in.Name + "_before"), Type: init.Type}
	l.states, l.inits, l.params = append(l.states, x), append(l.inits, init), append(l.params, p)
	l.outer = append(l.outer, init)
	return p
}

// sliced returns the tensor of which vs are all slices along an axis, in order.
func (l *unrolled) sliced(vs []*ir.Value) (part, bool) {
	first, ok := partOf(vs[0])
	if !ok || first.at != 0 || !first.x.Type.Shape[first.axis].Is(len(vs)) {
		return first, false
	}
	for i, v := range vs {
		if p, ok := partOf(v); !ok || p != (part{first.x, first.axis, i}) || v.Def.Class != l.join.Class {
			return first, false
		}
	}
	return first, true
}

// slice returns the parameter for the slices of p, the first of which is v.
func (l *unrolled) slice(v *ir.Value, p part) *ir.Value {
	if x := l.by[v]; x != nil {
		return x
	}
	x := &ir.Value{Name: l.m.FreshName(p.x.Name + "_slice"), Type: v.Type}
	l.by[v] = x
	l.slices, l.tensors = append(l.slices, x), append(l.tensors, p)
	l.outer = append(l.outer, p.x)
	return x
}

// same returns the output of a node of the body that stands for the nodes which define vs, if they are alike.
func (l *unrolled) same(vs []*ir.Value) *ir.Value {
	n := vs[0].Def
	if n == nil || l.lanes[vs[0]] != nil {
		return nil
	}
	for _, v := range vs {
		if !l.repeats(v.Def, n) || l.nodes[v.Def] {
			return nil
		}
	}
	for _, v := range vs {
		l.nodes[v.Def] = true
	}
	c := *n
	c.Name = l.m.FreshName(n.Name + "_each")
	c.In = make([]*ir.Value, len(n.In))
	c.Out = []*ir.Value{{Name: c.Name, Def: &c, Type: vs[0].Type}}
	l.lanes[vs[0]] = &lane{at: vs, in: c.Out[0]} // before the inputs, which may be states
	for i := range n.In {
		if n.In[i] == nil {
			continue
		}
		in := make([]*ir.Value, len(vs))
		for k, v := range vs {
			in[k] = v.Def.In[i]
		}
		if c.In[i] = l.value(in); c.In[i] == nil {
			return nil
		}
	}
	l.body = append(l.body, &c)
	return c.Out[0]
}

// repeats reports whether n may be the node of another iteration that corresponds to first.
func (l *unrolled) repeats(n, first *ir.Node) bool {
	if n == nil || !replaceable(n) || n.Op != first.Op || n.Domain != first.Domain || n.Version != first.Version ||
		n.Class != l.join.Class || len(n.In) != len(first.In) || attrKey(n) != attrKey(first) {
		return false
	}
	for i, v := range n.In {
		if (v == nil) != (first.In[i] == nil) {
			return false
		}
	}
	o := op.Lookup(n)
	return !o.Effect && !o.Random && l.home[n]
}

// alone reports whether nothing outside of the loop reads what the iterations compute, but the results and the
// final states.
func (l *unrolled) alone() bool {
	final := map[*ir.Value]bool{}
	for _, s := range l.states {
		final[s.at[len(s.at)-1]] = true
	}
	for v, uses := range l.m.Main.Uses() {
		if v.Def == nil || !l.nodes[v.Def] || final[v] {
			continue
		}
		for _, u := range uses {
			if u.Node == nil || u.Node != l.join && !l.nodes[u.Node] {
				return false
			}
		}
	}
	return true
}

// before reports whether nothing that the loop reads depends on the loop.
func (l *unrolled) before() bool {
	after := map[*ir.Value]bool{}
	for _, n := range l.r.Nodes {
		reads := slices.ContainsFunc(n.In, func(v *ir.Value) bool { return after[v] })
		for _, in := range n.Regions {
			reads = reads || slices.ContainsFunc(in.Captures(), func(v *ir.Value) bool { return after[v] })
		}
		if !reads && !l.nodes[n] {
			continue
		}
		for _, v := range n.Out {
			after[v] = true
		}
	}
	return !slices.ContainsFunc(l.outer, func(v *ir.Value) bool { return after[v] })
}

// replace replaces the Concat by a Scan and the nodes that move its rows to their axis. It reports whether it
// did.
func (l *unrolled) replace() bool {
	b := builder(l.m, l.join)
	s := l.scan(b)
	y := l.join.Out[0]
	axis, err := op.Axis(l.join.Int("axis"), len(y.Type.Shape))
	shape, fixed := ir.Static(y.Type.Shape)
	if err != nil || !fixed || b.Err() != nil {
		return false
	}
	joined := b.Op("Reshape", moveAxis(b, s.Out[len(s.Out)-1], 0, axis), b.Ints(shape...))
	if b.Err() != nil || !joined.Type.Equal(y.Type) {
		return false
	}
	op.TakeOver(b, l.join, []*ir.Value{joined})
	for i, x := range l.states {
		if v := x.at[len(x.at)-1]; v.Def != s {
			s.Out[i], v.Def = v, s
		}
	}
	var out []*ir.Node
	for _, n := range l.r.Nodes {
		switch {
		case n == l.join:
			out = append(out, b.Nodes...)
		case !l.nodes[n]:
			out = append(out, n)
		}
	}
	l.r.Nodes = out
	return true
}

// scan adds the Scan of the loop. Its last output has the results of the iterations along the first axis.
func (l *unrolled) scan(b *ir.Builder) *ir.Node {
	s := &ir.Node{Op: "Scan", Name: l.m.FreshName(l.join.Name + "_loop"), Class: l.join.Class, Pos: l.join.Pos}
	s.Attrs.Set("num_scan_inputs", int64(len(l.slices)))
	s.In = slices.Clone(l.inits)
	for _, p := range l.tensors {
		s.In = append(s.In, moveAxis(b, p.x, p.axis, 0))
	}
	body := &ir.Region{Name: "body", Params: slices.Concat(l.params, l.slices), Nodes: l.body}
	for _, x := range append(l.states, l.lanes[l.join.In[op.X]]) {
		body.Results = append(body.Results, x.in)
		s.Out = append(s.Out, &ir.Value{Name: l.m.FreshName(x.in.Name + "_rows"), Def: s})
	}
	s.Regions = []*ir.Region{body}
	b.Add(s)
	return s
}
