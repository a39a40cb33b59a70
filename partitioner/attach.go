package partitioner

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// attach joins the groups that nothing opens to other groups.
func (c *cutter) attach(k *class) {
	for c.attachTo(k, -1) || c.attachTo(k, 1) {
	}
	// Calls on a slot stay together.
	for _, chain := range c.chained(k) {
		var last *group
		for _, n := range chain {
			g := c.groups[n].find()
			if g.opened() || c.begun(g) {
				continue
			}
			if last != nil {
				g = join(last, g)
			}
			last = g
		}
	}
	main := c.mainGroup(k)
	for _, n := range k.nodes {
		if g := c.groups[n]; g != nil && !g.find().opened() && main != nil && !c.isBegin(n) && !c.begun(g.find()) {
			join(main, g)
		}
	}
}

// begun reports whether a group contains the Next that begins a loop.
func (c *cutter) begun(g *group) bool { return slices.ContainsFunc(g.nodes, c.isBegin) }

// mainGroup returns the main group of a class: the one that the host opens, or else the first loop of rounds,
// or else the group that the first fill opens. Nodes that nothing else opens run once in each of its
// executions.
func (c *cutter) mainGroup(k *class) *group {
	var rounds, fill *group
	for _, n := range k.nodes {
		g := c.groups[n]
		switch {
		case g == nil:
		case g.find().host:
			return g.find()
		case rounds == nil && op.OpensOf(n) == op.OpensRounds:
			rounds = g.find()
		case fill == nil && op.PeerKindOf(n) == op.KindRecv && slices.Contains(g.find().openers(), n):
			fill = g.find()
		}
	}
	if rounds == nil {
		return fill
	}
	return rounds
}

// attachTo joins the first group that nothing opens to the group of the nearest call before it (dir −1) or
// after it (dir 1) on one of its slots, if that group is opened. It reports whether it joined any.
func (c *cutter) attachTo(k *class, dir int) bool {
	chains := c.chained(k)
	for _, n := range k.nodes {
		g := c.groups[n]
		if g == nil || g.find().opened() || c.begun(g.find()) {
			continue
		}
		g = g.find()
		if to := c.nearest(chains, g, dir); to != nil {
			join(to, g)
			return true
		}
	}
	return false
}

// nearest returns the group of the nearest call on a slot that the nodes of g call. It returns nil if that
// group is not opened, or is opened as a consequence of g.
func (c *cutter) nearest(chains map[chainKey][]*ir.Node, g *group, dir int) *group {
	var best *ir.Node
	from := c.pos[g.first(c.pos)]
	for _, key := range sortedKeys(chains) {
		chain := chains[key]
		if !slices.ContainsFunc(chain, func(n *ir.Node) bool { return c.groups[n].find() == g }) {
			continue
		}
		for _, n := range chain {
			if h := c.groups[n].find(); h == g || c.begun(h) || slices.ContainsFunc(h.nodes, peer.Bootstraps) || cmp.Compare(c.pos[n], from) != dir {
				continue
			}
			if best == nil || abs(c.pos[n]-from) < abs(c.pos[best]-from) {
				best = n
			}
		}
	}
	if best == nil {
		return nil
	}
	to := c.groups[best].find()
	if !to.opened() || c.bringsAbout(g, to) {
		return nil
	}
	return to
}

func abs(x int) int { return max(x, -x) }

// bringsAbout reports whether a value that g sends leads to the fill that opens to.
func (c *cutter) bringsAbout(g, to *group) bool {
	if to.host {
		return false
	}
	seen := map[*ir.Node]bool{}
	work := slices.Clone(g.nodes)
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		if op.PeerKindOf(n) == op.KindSend {
			for _, l := range c.links {
				if l.send == n {
					work = append(work, l.recv)
				}
			}
		}
		for _, v := range n.Out {
			work = append(work, c.readersOf(v)...)
		}
	}
	return slices.ContainsFunc(to.openers(), func(n *ir.Node) bool { return seen[n] && op.PeerKindOf(n) == op.KindRecv })
}

// readersOf returns the nodes that read a value.
func (c *cutter) readersOf(v *ir.Value) []*ir.Node {
	if c.readers == nil {
		c.readers = map[*ir.Value][]*ir.Node{}
		for _, k := range c.classes {
			for _, n := range k.nodes {
				for _, x := range c.reads(n) {
					c.readers[x] = append(c.readers[x], n)
				}
			}
		}
	}
	return c.readers[v]
}
