package partitioner

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/collective"
)

// enters checks where peers join: in one place of a class, before all other collectives, with the state of
// slots that no command accesses meanwhile.
func (c *cutter) enters() {
	for _, k := range c.classes {
		for _, a := range k.acts {
			if n := c.enterOf(a.nodes); n != nil {
				c.checkFirst(k, a, n)
				c.checkState(k, a, n)
			}
		}
	}
}

// enterOf returns the node where peers join, or nil.
func (c *cutter) enterOf(nodes []*ir.Node) *ir.Node {
	i := slices.IndexFunc(nodes, func(n *ir.Node) bool { return c.computes(n, collective.Enter) })
	if i < 0 {
		return nil
	}
	return nodes[i]
}

// computes reports whether a node is a collective of one of the given kinds, or of any kind if none is given.
func (c *cutter) computes(n *ir.Node, kinds ...collective.Kind) bool {
	e := c.edgeOf[n]
	return e != nil && e.Collective != nil && (len(kinds) == 0 || slices.Contains(kinds, e.Collective.Kind))
}

// checkFirst checks that all collectives are in steps that begin with an Enter, as a joining peer learns
// there which calls come next.
func (c *cutter) checkFirst(k *class, a *activity, enter *ir.Node) {
	for _, other := range k.acts {
		for _, n := range other.nodes {
			if n != enter && c.computes(n) && (other != a || c.pos[n] < c.pos[enter] || c.computes(n, collective.Enter)) {
				c.failf(n, "is computed together before peers join, or elsewhere: want all that class %s computes together behind %s (%s)", k.name, enter, enter.Pos)
			}
		}
	}
}

// checkState checks that the class has the slots of which a joining peer receives the state, and that only the steps
// call them. Within a step, calls come before or after Enter; a command of another execution may run at any
// time.
func (c *cutter) checkState(k *class, a *activity, enter *ir.Node) {
	for _, name := range enter.Strs(peer.SlotsAttr) {
		i := slices.IndexFunc(k.part.Slots, func(s *Slot) bool { return s.Name == name })
		if i < 0 {
			c.failf(enter, "gives a peer that joins the state of slot %q, of which class %s calls no method", name, k.name)
			continue
		}
		if n := c.calledElsewhere(k, a, k.part.Slots[i]); n != nil {
			c.failf(n, "calls slot %q at any time, whose state a peer that joins is given at %s (%s): want all its calls in the steps that begin there", name, enter, enter.Pos)
		}
	}
}

// calledElsewhere returns a command of another activity that may access the component of a slot, or nil.
func (c *cutter) calledElsewhere(k *class, a *activity, s *Slot) *ir.Node {
	if !c.commands[s] {
		return nil
	}
	for _, other := range k.acts {
		for _, n := range other.nodes {
			if t := c.slotOf[n]; other != a && t != nil && (slices.Contains(k.reach(t), s) || k.dataOf(n) == s) {
				return n
			}
		}
	}
	return nil
}

// reach returns a slot and all slots with components that its component can call.
func (k *class) reach(s *Slot) []*Slot {
	all := []*Slot{s}
	for i := 0; i < len(all); i++ {
		for _, t := range k.part.Slots {
			if b := all[i].Binding; b != nil && slices.Contains(slices.Collect(maps.Values(b.Needs)), t.Name) && !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}
