package partitioner

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// flow computes for each node the cut points that have come when it runs. Nodes without inputs run when the
// frame opens, together with the nodes that need only the cut points of that moment.
//
// The time of a gather may start with a question recorded after it, so the computation is repeated until
// nothing changes. It terminates, as the sets only grow.
func (b *body) flow() {
	b.full = map[*ir.Node]cutSet{}
	b.before = make([]cutSet, len(b.module.Cuts))
	for again := true; again; {
		last := maps.Clone(b.full)
		b.flowOnce()
		again = len(b.asks) > 0 && !maps.Equal(last, b.full)
	}
	b.sink()
}

func (b *body) flowOnce() {
	for _, n := range b.nodes {
		if b.outside(n) {
			continue
		}
		var mask cutSet
		if op.PeerKindOf(n) != op.KindFirst {
			mask = b.needs(n)
		}
		if mask.isEmpty() {
			mask = b.opens
		}
		b.full[n] = mask
		switch c := b.cutOf[n]; {
		case op.PeerKindOf(n) == op.KindFirst:
			b.first(n)
		case c != nil:
			b.before[c.Index] = mask
		case b.async[n] != nil:
			b.before[b.async[n].Index] = mask
		}
	}
}

// sink moves nodes that only list peers to the block that reads the list, if there is only one.
func (b *body) sink() {
	for _, n := range b.nodes {
		if !free(n) {
			continue
		}
		var masks []cutSet
		for _, x := range b.nodes {
			if mask, ok := b.full[x]; ok && slices.ContainsFunc(reads(x), func(v *ir.Value) bool { return v.Def == n }) && !slices.Contains(masks, mask) {
				masks = append(masks, mask)
			}
		}
		if len(masks) == 1 {
			b.full[n] = masks[0]
		}
	}
}

// outside reports whether a node has no step in a block because a cut point represents it.
func (b *body) outside(n *ir.Node) bool {
	switch op.PeerKindOf(n) {
	case op.KindRecv:
		return b.cutOf[n] == nil
	case op.KindOpen:
		return op.OpensOf(n) == op.OpensRounds || len(n.Out) < 2
	}
	return false
}

// needs returns the cut points that have come when all inputs of n are present.
func (b *body) needs(n *ir.Node) cutSet {
	var mask cutSet
	for _, v := range b.reads(n) {
		if c := b.async[n]; c != nil && b.async[v.Def] == c {
			mask = mask.or(b.full[v.Def]) // in the same command
			continue
		}
		mask = mask.or(b.comes(v))
	}
	for _, p := range b.prev[n] {
		mask = mask.or(b.done(p))
	}
	for _, s := range b.asks[n] {
		mask = mask.or(b.full[s])
	}
	return mask
}

// reads returns the values that n waits for.
func (b *body) reads(n *ir.Node) []*ir.Value {
	if op.PeerKindOf(n) == op.KindRecv && b.module.Parent != nil {
		return nil
	}
	if b.captures == nil { // the nodes do not change any more
		b.captures = map[*ir.Node][]*ir.Value{}
	}
	in, ok := b.captures[n]
	if !ok {
		in = reads(n)
		b.captures[n] = in
	}
	if len(b.sizes[n])+len(b.together[n]) == 0 {
		return in
	}
	return slices.Concat(in, b.sizes[n], b.together[n])
}

// comes returns the cut points that have come when a value is present.
func (b *body) comes(v *ir.Value) cutSet {
	if g := b.childOf[v]; g != nil && b.foldOf[v.Def] == nil {
		return b.through(g.cut)
	}
	if c := b.brings[v]; c != nil {
		return b.through(c)
	}
	if v.Def == nil {
		return cutSet{}
	}
	return b.done(v.Def)
}

// done returns the cut points that have come when a node has finished.
func (b *body) done(n *ir.Node) cutSet {
	if c := b.async[n]; c != nil {
		return b.through(c)
	}
	if c := b.cutOf[n]; c != nil && c.Kind != Gather {
		return b.through(c)
	}
	return b.full[n]
}

// through returns a cut point and all that come before it. The inputs from the host all come at once.
func (b *body) through(c *Cut) cutSet {
	mask := setOf(c).or(b.before[c.Index])
	if c.Kind == Input {
		for _, in := range b.module.Inputs {
			mask.add(in)
		}
	}
	return mask
}

// waits returns the cut points of a mask that are not implied by another one of the mask.
func (b *body) waits(mask cutSet) []*Cut {
	var out []*Cut
	for _, x := range b.module.Cuts {
		after := func(c *Cut) bool { return c != x && mask.has(c) && b.before[c.Index].has(x) }
		if mask.has(x) && !slices.ContainsFunc(b.module.Cuts, after) {
			out = append(out, x)
		}
	}
	return out
}

// first finds the cut points that a First chooses from. A value that no cut point carries gets its own, which
// the block that computes it reports.
func (b *body) first(n *ir.Node) {
	if t := b.timers[n]; t != nil {
		b.before[t.Index] = b.comes(n.In[1])
		if b.before[t.Index].isEmpty() {
			b.before[t.Index] = b.opens
		}
	}
}

// from returns the cut points of the inputs of a First.
func (b *body) from(n *ir.Node) []*Cut {
	var out []*Cut
	for i, v := range n.In {
		if b.timers[n] != nil && i > 0 {
			return append(out, b.timers[n])
		}
		out = append(out, b.bringer(n, v))
	}
	return out
}

// bringer returns the cut point that reports the presence of v.
func (b *body) bringer(n *ir.Node, v *ir.Value) *Cut {
	switch c := b.brings[v]; {
	case v.IsConst():
		b.failf(n, "waits for %q, which is always there", v.Name)
		return nil
	case c != nil:
		return c
	case b.async[v.Def] != nil:
		return b.async[v.Def]
	}
	if b.locals[v] == nil {
		b.locals[v] = &Cut{Kind: Local, Name: v.Name, Values: []*ir.Value{v}}
		b.add(b.locals[v])
	}
	return b.locals[v]
}
