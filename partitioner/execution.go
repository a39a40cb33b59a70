package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// joinOne joins two groups of a class that calls on a slot connect and that
// always come in the same execution. It reports whether there were any.
func (c *cutter) joinOne() bool {
	for _, k := range c.classes {
		chains := c.chains(k.nodes)
		for _, key := range sortedKeys(chains) {
			chain := chains[key]
			for i, n := range chain[1:] {
				a, b := c.groups[chain[i]].find(), c.groups[n].find()
				if a != b && c.sameExecution(a, b) {
					join(a, b)
					return true
				}
			}
		}
	}
	return false
}

// sameExecution reports whether whenever one group is opened the other one is, in
// the same execution: what led to them began in one place.
func (c *cutter) sameExecution(a, b *group) bool {
	before := c.causes(a)
	return slices.ContainsFunc(c.causes(b), func(g *group) bool { return slices.Contains(before, g) })
}

// causes are g, the group that sends what opens it, the one that sends what opens
// that, and so on.
func (c *cutter) causes(g *group) []*group {
	var out []*group
	for g != nil && !slices.Contains(out, g) {
		out = append(out, g)
		g = c.cause(g)
	}
	return out
}

// cause is the group that sends all that opens g, nil if there is no such group.
func (c *cutter) cause(g *group) *group {
	if g.host {
		return nil
	}
	var from *group
	for _, n := range g.openers() {
		s := c.senderOf(n)
		if s == nil || apart(s) || from != nil && c.groups[s].find() != from {
			return nil
		}
		from = c.groups[s].find()
	}
	return from
}

// apart reports whether what a Send brings about is an execution of its own.
func apart(send *ir.Node) bool { return send.Int("apart", 0) != 0 }

// senderOf is the Send that feeds a Recv, nil for other nodes.
func (c *cutter) senderOf(recv *ir.Node) *ir.Node {
	for _, l := range c.links {
		if l.recv == recv {
			return l.send
		}
	}
	return nil
}
