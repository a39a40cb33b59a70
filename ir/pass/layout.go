package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
)

// Layout moves the channels of images to the last axis, where convolutions are fast, and keeps them there
// while the following operators support that form. Data are only moved at the beginning and the end. It
// leaves unused nodes to [DCE].
var Layout = &Pass{Name: "layout", Run: layout, After: []*Pass{Fuse}}

func layout(c *Context, m *ir.Module) error {
	if c.Layout == ChannelsFirst {
		return nil
	}
	l := &layouter{m: m, target: c.Target, uses: m.Main.Uses()}
	l.region(m.Main.Body)
	l.nodes = m.Main.Body.Nodes
	for _, s := range m.Main.State { // the next value is read at the end of the run
		l.need(s.Next)
	}
	m.Main.Body.Nodes = l.nodes
	moveRules.apply(m)
	return nil
}

// layouter rewrites the nodes of regions in sequence. A value computed with its channels last is converted
// back before the first node that requires the original layout.
type layouter struct {
	m      *ir.Module
	target *target.Target
	uses   map[*ir.Value][]ir.Use
	nodes  []*ir.Node // rewritten nodes of the current region

	last    map[*ir.Value]*ir.Value // values with their channels last
	native  map[*ir.Value]bool      // values that are computed with their channels last
	pending map[*ir.Value]bool      // values that exist only with their channels last
}

func (l *layouter) region(r *ir.Region) {
	outer := *l
	l.nodes = nil
	l.last, l.native, l.pending = map[*ir.Value]*ir.Value{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	for _, n := range r.Nodes {
		if !l.convert(n) {
			l.keep(n)
		}
	}
	for _, v := range r.Results {
		l.need(v)
	}
	r.Nodes = l.nodes
	if outer.last != nil {
		*l = outer
	}
}

// keep keeps n as it is.
func (l *layouter) keep(n *ir.Node) {
	for _, v := range n.In {
		l.need(v)
	}
	for _, r := range n.Regions {
		for _, v := range r.Captures() {
			l.need(v)
		}
	}
	for _, r := range n.Regions {
		l.region(r)
	}
	l.nodes = append(l.nodes, n)
}

// need converts v back if it exists only with its channels last.
func (l *layouter) need(v *ir.Value) {
	if v == nil || !l.pending[v] {
		return
	}
	delete(l.pending, v)
	x := l.last[v]
	b := builder(l.m, x.Def)
	y := move(b, x, backwards(len(x.Type.Shape)))
	y.Def.Out[0], v.Def = v, y.Def
	l.nodes = append(l.nodes, b.Nodes...)
}

// convert replaces n by its form with the channels last, if there is one and it pays off.
func (l *layouter) convert(n *ir.Node) bool {
	form, ok := op.FindLast(n)
	if !ok || len(n.Syms) > 0 || form.BuildAll == nil && !replaceable(n) || len(n.Out[0].Type.Shape) < 3 || !form.Starts && !l.follows(n) {
		return false
	}
	if l.joinAct(n) {
		return true
	}
	moved := map[*ir.Value]*ir.Value{}
	b := builder(l.m, n)
	last := &op.Last{
		Node: n, B: b, Target: l.target,
		Of:    func(v *ir.Value) *ir.Value { return l.of(b, n, v, moved) },
		Moves: func(v *ir.Value) bool { return l.last[v] == nil },
	}
	var out []*ir.Value
	if form.BuildAll != nil {
		out = form.BuildAll(last)
	} else if y := form.Build(last); y != nil {
		out = []*ir.Value{y}
	}
	if out == nil || b.Err() != nil {
		return false
	}
	for v, x := range moved {
		l.last[v] = x
	}
	for _, made := range b.Nodes { // a form may read operands as they are, such as a scale
		for _, v := range made.In {
			l.need(v)
		}
	}
	l.nodes = append(l.nodes, b.Nodes...)
	for i, y := range out {
		switch v := n.Out[i]; {
		case v == nil:
		case len(v.Type.Shape) < 3: // it has no channels
			y.Def.Out[slices.Index(y.Def.Out, y)], v.Def = v, y.Def
		default:
			l.define(v, y)
		}
	}
	return true
}

func (l *layouter) define(v, last *ir.Value) { l.last[v], l.native[v], l.pending[v] = last, true, true }

// follows reports whether n reads a value that is computed with its channels last, possibly through the nodes
// of a channel shuffle.
func (l *layouter) follows(n *ir.Node) bool {
	for depth := 0; n != nil && depth < 3; depth++ {
		if slices.ContainsFunc(n.In, func(v *ir.Value) bool { return l.native[v] }) {
			return true
		}
		if len(n.In) == 0 || n.In[op.X] == nil || !n.Is("Reshape") && !n.Is("Transpose") {
			return false
		}
		n = n.In[op.X].Def
	}
	return false
}

// of returns v, an operand of n, with its channels last. Values converted for this are recorded in moved.
func (l *layouter) of(b *ir.Builder, n *ir.Node, v *ir.Value, moved map[*ir.Value]*ir.Value) *ir.Value {
	rank := len(n.Out[0].Type.Shape)
	if x := moved[v]; x != nil {
		return x
	}
	if len(v.Type.Shape) < rank && l.last[v] != nil {
		return nil // its channels would be aligned with other axes
	}
	if x := l.last[v]; x != nil && (x.Def == nil || x.Def.Class == n.Class) {
		return x
	}
	switch {
	case l.pending[v] || v.Type.Kind != ir.Tensor || len(v.Type.Shape) > rank:
		return nil
	case v.IsConst():
		return constLast(b, v, rank)
	case len(v.Type.Shape) == rank:
		moved[v] = move(b, v, forwards(rank))
		return moved[v]
	case ir.Size(v.Type.Shape).Is(1) && len(v.Type.Shape) < 2:
		return v
	}
	return nil
}

// constLast returns a constant that broadcasts to the given rank with its channels last.
func constLast(b *ir.Builder, v *ir.Value, rank int) *ir.Value {
	if v.Const.Len() == 1 && len(v.Type.Shape) < 2 {
		return v
	}
	t := *v.Const
	t.Shape = slices.Concat(slices.Repeat([]int{1}, rank-len(t.Shape)), t.Shape)
	full := ir.NewConst(v.Name, &t)
	scratch := &ir.Builder{Module: b.Module, Infer: b.Infer, Prefix: v.Name + "_last"}
	y := move(scratch, full, forwards(rank))
	if scratch.Err() != nil || !foldNode(y.Def, t.Len(), nil) {
		return nil
	}
	return y
}

// joinAct merges the activation n into a convolution that has no other reader.
func (l *layouter) joinAct(n *ir.Node) bool {
	o := op.Lookup(n)
	if o.Act == nil || o.Act(n) == "" || len(l.uses[n.In[op.X]]) != 1 {
		return false
	}
	x := l.last[n.In[op.X]]
	if x == nil || x.Def == nil || x.Def.Op != "ConvLast" || x.Def.Has("activation") || x.Def.Class != n.Class || !l.pending[n.In[op.X]] {
		return false
	}
	x.Def.Attrs.Set("activation", o.Act(n))
	delete(l.pending, n.In[op.X])
	l.define(n.Out[0], x)
	return true
}
