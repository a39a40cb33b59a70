package partitioner

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// collectives adds the edges of collectives.
func (c *cutter) collectives(ids map[uint64]*Edge) {
	first := map[string]*ir.Node{} // by class
	for _, n := range c.m.Main.Body.Nodes {
		if op.PeerKindOf(n) != op.KindCollective {
			continue
		}
		e, err := c.collectiveEdge(n)
		if err != nil {
			c.failf(n, "%w", err)
			continue
		}
		if have := ids[uint64(e.ID)]; have != nil {
			c.failf(n, "edge %s has the id of edge %s (%s): give one of them another name", e.Name, have.Name, have.Pos)
		}
		if x := first[n.Class]; x != nil && c.edgeOf[x].Collective.IfLost != e.Collective.IfLost {
			c.failf(n, "has the policy %v for lost peers, and %s (%s) has %v: peers of one class have the same members in all that they compute together", e.Collective.IfLost, x, x.Pos, c.edgeOf[x].Collective.IfLost)
		} else if x == nil {
			first[n.Class] = n
		}
		ids[uint64(e.ID)], c.edgeOf[n] = e, e
		c.prog.Edges = append(c.prog.Edges, e)
	}
}

// allOf reports whether a node returns all peers of a class.
func allOf(n *ir.Node) bool {
	o := op.Lookup(n)
	return o != nil && o.Peer != nil && o.Peer.All
}

func (c *cutter) collectiveEdge(n *ir.Node) (*Edge, error) {
	name := n.Str("port")
	if ir.Ident(name) != name || name == "" {
		return nil, fmt.Errorf("port %q is no name for an edge", name)
	}
	if who := n.In[peer.CollectivePeers].Def; who == nil || !allOf(who) || who.Str("class") != n.Class {
		return nil, fmt.Errorf("computes with %q, want all peers of its own class, %s", n.In[peer.CollectivePeers].Name, n.Class)
	}
	spec, lost, err := peer.Collective(n)
	if err != nil {
		return nil, err
	}
	e := &Edge{Name: n.Class + "." + name, From: n.Class, To: n.Class, Type: peer.Trigger, Pos: n.Pos, Collective: &Collective{Spec: spec, IfLost: lost}}
	if spec.Kind == collective.Enter {
		e.Collective.State = n.Strs(peer.SlotsAttr)
	}
	typ := e.Type.String()
	if spec.Kind != collective.Barrier {
		if e.Type = n.In[peer.CollectiveValue].Type; !e.Type.Known() {
			return nil, fmt.Errorf("computes with %s: the number of its axes must be known; say of what type it is where it comes from", e.Type)
		}
		typ = canonical(e.Type)
	}
	typ = e.Collective.text() + " " + typ
	e.Text = edgeid.Text(e.From, name, e.To, typ)
	e.ID, e.Hash = c.opt.hash(e.Text), edgeid.Type(typ)
	return e, nil
}

// text describes the collective and what happens if a peer is down.
func (c *Collective) text() string {
	parts := []string{c.Kind.String()}
	switch c.Kind {
	case collective.AllReduce, collective.ReduceScatter, collective.Reduce:
		parts = append(parts, c.Op.String())
	}
	if c.Kind == collective.Broadcast || c.Kind == collective.Reduce {
		parts = append(parts, fmt.Sprintf("root %d", c.Root))
	}
	if c.Algorithm != collective.Auto {
		parts = append(parts, c.Algorithm.String())
	}
	if len(c.State) > 0 {
		parts = append(parts, "with "+strings.Join(c.State, " "))
	}
	if c.Finite {
		parts = append(parts, "finite")
	}
	if c.Codec != collective.Exact {
		parts = append(parts, "as "+c.Codec.String())
	}
	if c.Feedback {
		parts = append(parts, "with feedback")
	}
	return strings.Join(parts, " ") + ", if lost " + c.IfLost.String()
}
