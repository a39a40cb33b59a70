package recompute

import "github.com/bbgen/bbgen/ir"

// apply makes the backward pass read copies of dropped values. It rewrites a copy of the function that g was
// read from.
func (g *graph) apply(m *ir.Module, again set) {
	h, err := read(m.Main)
	if err != nil {
		panic("BUG: a copy cannot be read: " + err.Error())
	}
	a := &applier{graph: h, m: m, again: again, copies: map[*ir.Value]*ir.Value{}}
	for i, n := range m.Main.Body.Nodes {
		if i > g.loss {
			a.redirect(n)
		}
		a.out = append(a.out, n)
	}
	m.Main.Body.Nodes = a.out
}

// applier rewrites the body.
type applier struct {
	*graph
	m      *ir.Module
	again  set
	out    []*ir.Node
	copies map[*ir.Value]*ir.Value
}

// redirect makes a node of the backward pass read copies.
func (a *applier) redirect(n *ir.Node) {
	for i, v := range n.In {
		n.In[i] = a.copy(v)
	}
	for _, r := range n.Regions {
		by := map[*ir.Value]*ir.Value{}
		for _, v := range r.Captures() {
			if c := a.copy(v); c != v {
				by[v] = c
			}
		}
		r.Replace(by)
	}
}

// copy returns the recomputed v, or v itself if it is not dropped.
func (a *applier) copy(v *ir.Value) *ir.Value {
	if c := a.copies[v]; c != nil {
		return c
	}
	if !a.isDropped(v) {
		return v
	}
	n := *v.Def
	n.Name = a.m.FreshName("again/" + n.Name)
	n.In = make([]*ir.Value, len(v.Def.In))
	for i, x := range v.Def.In {
		n.In[i] = a.copy(x)
	}
	n.Out = make([]*ir.Value, len(v.Def.Out))
	for i, x := range v.Def.Out {
		if x == nil {
			continue
		}
		y := *x
		y.Name, y.Def = a.m.FreshName("again/"+x.Name), &n
		n.Out[i] = &y
		if a.isDropped(x) {
			a.copies[x] = &y
		}
	}
	a.out = append(a.out, &n)
	return a.copies[v]
}

// isDropped reports whether the backward pass recomputes v, or the value that v is a view of.
func (a *applier) isDropped(v *ir.Value) bool {
	if v == nil {
		return false
	}
	id, ok := a.ids[a.root(v)]
	return ok && a.again[id] && a.values[id].def <= a.loss
}
