package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// joinOne joins two groups of a class that are connected by calls on a slot and always run in the same
// execution. It reports whether there were any.
func (c *cutter) joinOne() bool {
	for _, k := range c.classes {
		chains := c.chained(k)
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

// cause is what causes a group: another group, or a Send that starts new executions.
type cause struct {
	*group
	send *ir.Node
	away bool // on a different peer of the same class
}

// causes returns g, the group that sends the fill that opens g, the group that causes that one, and so on. A
// message to another class is assumed to return to the peer that caused it, and so is an answer from a peer
// of the same class; but a message to the peer's own class reaches a different peer.
func (c *cutter) causes(g *group) []cause {
	var out []cause
	x := cause{group: g}
	for x.group != nil && !slices.Contains(out, x) {
		out = append(out, x)
		from := c.cause(x.group)
		from.away = x.away != from.away
		x = from
	}
	if x.send != nil {
		out = append(out, x)
	}
	return out
}

// cause returns what sends all fills that open g, or zero if that is not one place. It also says whether that
// runs on a different peer of the same class.
func (c *cutter) cause(g *group) (from cause) {
	if g.host {
		return cause{}
	}
	for i, n := range g.openers() {
		s := c.senderOf(n)
		if s == nil {
			return cause{}
		}
		x := cause{send: c.apart(s)}
		if x.send == nil {
			x.group = c.groups[s].find()
		}
		if i > 0 && (x.group != from.group || x.send != from.send) {
			return cause{}
		}
		x.away = from.away || aside(s)
		from = x
	}
	return from
}

// aside reports whether a Send goes to other peers of the sender's own class.
func aside(send *ir.Node) bool {
	peers := send.In[peer.SentTo].Def
	return send.Str("to") == send.Class && (peers == nil || !itself(peers))
}

// itself reports whether a node returns the peer that it runs on.
func itself(n *ir.Node) bool {
	o := op.Lookup(n)
	return o != nil && o.Peer != nil && o.Peer.Itself
}

// apart returns the Send as the author wrote it if it starts a new execution at the receiver, and nil
// otherwise. The parts of a bundle share one execution.
func (c *cutter) apart(send *ir.Node) *ir.Node {
	switch whole := c.whole[send]; {
	case send.Int("apart") == 0:
		return nil
	case whole != nil:
		return whole
	}
	return send
}

// senderOf returns the Send that feeds a Recv, or nil for other nodes.
func (c *cutter) senderOf(recv *ir.Node) *ir.Node {
	for _, l := range c.links {
		if l.recv == recv {
			return l.send
		}
	}
	return nil
}
