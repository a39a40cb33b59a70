package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// joinOne joins two groups of a class that are connected by calls on a slot and always run in the same
// execution. It reports whether there were any.
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

// sameExecution reports whether opening one group always implies opening the other one, on the same peer in
// the same execution, because both have a common cause.
func (c *cutter) sameExecution(a, b *group) bool {
	before := c.causes(a)
	return slices.ContainsFunc(c.causes(b), func(x cause) bool { return slices.Contains(before, x) })
}

// cause is a group that causes another one.
type cause struct {
	*group
	away bool // on a different peer of the same class
}

// causes returns g, the group that sends the fill that opens g, the group that causes that one, and so on. A
// message to another class is assumed to return to the peer that caused it, and so is an answer from a peer
// of the same class; but a message to the peer's own class reaches a different peer.
func (c *cutter) causes(g *group) []cause {
	var out []cause
	for x := (cause{group: g}); x.group != nil && !slices.Contains(out, x); {
		out = append(out, x)
		from, away := c.cause(x.group)
		x = cause{from, x.away != away}
	}
	return out
}

// cause returns the group that sends all fills that open g, or nil. It also reports whether that group runs
// on a different peer of the same class.
func (c *cutter) cause(g *group) (from *group, away bool) {
	if g.host {
		return nil, false
	}
	for _, n := range g.openers() {
		s := c.senderOf(n)
		if s == nil || apart(s) || from != nil && c.groups[s].find() != from {
			return nil, false
		}
		from, away = c.groups[s].find(), away || aside(s)
	}
	return from, away
}

// aside reports whether a Send goes to other peers of the sender's own class.
func aside(send *ir.Node) bool {
	peers := send.In[1].Def
	return send.Str("to") == send.Class && (peers == nil || !itself(peers))
}

// itself reports whether a node returns the peer that it runs on.
func itself(n *ir.Node) bool {
	o := op.Lookup(n)
	return o != nil && o.Peer != nil && o.Peer.Itself
}

// apart reports whether a Send starts a new execution at the receiver.
func apart(send *ir.Node) bool { return send.Int("apart") != 0 }

// senderOf returns the Send that feeds a Recv, or nil for other nodes.
func (c *cutter) senderOf(recv *ir.Node) *ir.Node {
	for _, l := range c.links {
		if l.recv == recv {
			return l.send
		}
	}
	return nil
}
