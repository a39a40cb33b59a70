package partitioner

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// activity is a set of nodes of a class that run in the same executions.
type activity struct {
	class  *class
	nodes  []*ir.Node  // in the order of recording
	params []*ir.Value // host inputs, if the host invokes it or it is a bootstrap with inputs
	module *Module
}

// activities groups the nodes of each class by what opens their executions:
//
//  1. Nodes connected by values belong together.
//  2. A group that nothing opens joins that of the nearest call on one of its slots: the call before it, or
//     else the call after it. Without such a call, it joins the group that the host or a loop of rounds opens.
//     If there is none, it opens when the peer starts.
//  3. Groups connected by calls on a slot belong together if they always run in the same execution.
func (c *cutter) activities() {
	c.groups = map[*ir.Node]*group{}
	for _, k := range c.classes {
		c.splitRounds(k)
	}
	for _, k := range c.classes {
		c.connected(k)
	}
	for _, k := range c.classes {
		c.attach(k)
	}
	for c.joinOne() {
	}
	for _, k := range c.classes {
		c.gather(k)
	}
}

// splitRounds moves the initial values of a loop from the Rounds node to a Next, which begins the loop when
// they are present.
func (c *cutter) splitRounds(k *class) {
	var nodes []*ir.Node
	for _, n := range k.nodes {
		if op.OpensOf(n) == op.OpensRounds {
			first := &ir.Node{Op: "Next", Domain: n.Domain, Name: n.Name + "_first", In: append([]*ir.Value{nil}, n.In...), Attrs: slices.Clone(n.Attrs),
				Version: n.Version, Class: n.Class, Pos: n.Pos}
			n.In = nil
			c.pos[first], c.root[first] = c.pos[n], c.root[n]
			c.begins = append(c.begins, begin{first, n})
			c.insertBefore(n, first)
			nodes = append(nodes, first)
		}
		nodes = append(nodes, n)
	}
	k.nodes = nodes
}

// begin is the Next that begins the first round of a loop.
type begin struct{ first, rounds *ir.Node }

// connected makes a group of each set of nodes connected by values.
func (c *cutter) connected(k *class) {
	host, boot := &group{class: k, host: true}, &group{class: k, boot: true}
	rounds, asked, sent := map[string]*group{}, map[*ir.Value]*group{}, map[*ir.Node]*group{}
	for _, n := range k.nodes {
		if free(n) {
			continue
		}
		g := &group{class: k, nodes: []*ir.Node{n}}
		c.groups[n] = g
		for _, v := range c.reads(n) {
			switch {
			case v.Def == nil && k.boots(v):
				join(boot, g)
			case v.Def == nil:
				join(host, g)
			case !free(v.Def):
				join(c.groups[v.Def], g)
			}
		}
		c.withAsked(n, g, asked)
		if whole := c.whole[n]; whole != nil { // the parts of a bundle travel together
			joinBy(sent, whole, g)
		}
		if peer.Bootstraps(n) {
			join(boot, g)
		}
		if name := n.Str(peer.NameAttr); op.OpensOf(n) == op.OpensRounds || op.PeerKindOf(n) == op.KindNext && !c.isBegin(n) {
			joinBy(rounds, name, g)
		}
	}
	if len(host.find().nodes) == 0 && len(k.inputs(host)) > 0 {
		k.empty = append(k.empty, host)
	}
}

// inputs returns the host inputs of a group. A bootstrap has its own.
func (k *class) inputs(g *group) (list []*ir.Value) {
	for _, p := range k.params {
		if k.boots(p) && g.boot || !k.boots(p) && g.host {
			list = append(list, p)
		}
	}
	return list
}

// boots reports whether a host input belongs to the bootstrap.
func (k *class) boots(p *ir.Value) bool { return bootInput(ownName(k.name, p.Name)) }

// bootInput reports whether the name of a class's input is that of a bootstrap input.
func bootInput(name string) bool { return strings.HasPrefix(name, "bootstrap.") }

// withAsked joins a Recv from a set of peers with the other uses of the set, as the peers that are asked must
// answer in the same execution.
func (c *cutter) withAsked(n *ir.Node, g *group, asked map[*ir.Value]*group) {
	for _, v := range n.In {
		if v == nil || v.Def == nil || !free(v.Def) {
			continue
		}
		if !slices.ContainsFunc(c.readersOf(v), func(r *ir.Node) bool { return op.PeerKindOf(r) == op.KindRecv }) {
			continue
		}
		joinBy(asked, v, g)
	}
}

// gather lists the activities of a class in the order of their first nodes. Each has its own copies of the
// nodes for which free is true.
func (c *cutter) gather(k *class) {
	at := map[*group]*activity{}
	get := func(g *group) *activity {
		if at[g] == nil {
			at[g] = &activity{class: k, params: k.inputs(g)}
			k.acts = append(k.acts, at[g])
		}
		return at[g]
	}
	asked := map[*ir.Node]*activity{}
	for _, n := range k.nodes {
		if g := c.groups[n]; g != nil {
			a := get(g.find())
			c.ask(a, n, asked)
			a.nodes = append(a.nodes, n)
		}
	}
	for _, g := range k.empty {
		get(g)
	}
}

// ask inserts before n the nodes that list the peers that n needs.
func (c *cutter) ask(a *activity, n *ir.Node, asked map[*ir.Node]*activity) {
	for i, v := range n.In {
		if v == nil || v.Def == nil || !free(v.Def) {
			continue
		}
		own := v.Def
		switch asked[own] {
		case a:
			continue
		case nil:
			asked[own] = a
			a.nodes = append(a.nodes, own)
			continue
		}
		own = c.askAgain(v.Def)
		asked[own] = a
		a.nodes = append(a.nodes, own)
		k := slices.Index(v.Def.Out, v)
		for _, r := range c.readersOf(v) {
			if c.groups[r] != nil && c.groups[r].find() == c.groups[n].find() {
				for j := range r.In {
					if r.In[j] == v {
						r.In[j] = own.Out[k]
					}
				}
			}
		}
		n.In[i] = own.Out[k]
	}
}

// askAgain returns a copy of a node that lists peers.
func (c *cutter) askAgain(n *ir.Node) *ir.Node {
	own := *n
	own.Name, own.Out = c.m.FreshName(n.Name), make([]*ir.Value, len(n.Out))
	for i, v := range n.Out {
		own.Out[i] = &ir.Value{Name: c.m.FreshName(v.Name), Type: v.Type, Def: &own}
	}
	c.pos[&own], c.root[&own] = c.pos[n], c.root[n]
	c.insertAfter(n, &own)
	return &own
}

// ownName returns the name of an input or result without its class.
func ownName(class, name string) string { return strings.TrimPrefix(name, class+".") }
