package partitioner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// opener says what opens the executions of an activity.
func (c *cutter) opener(a *activity) {
	m, opened := a.module, len(a.params) > 0
	var next *ir.Node
	for _, n := range a.nodes {
		switch k := kind(n); {
		case k == op.KindOpen && boots(n) && n.Op != "BootstrapDispatch": // at once
		case k == op.KindOpen && m.Open != nil:
			c.failf(n, "opens executions that %s (%s) opens already: nothing can wait for both", m.Open, m.Open.Pos)
		case k == op.KindOpen:
			c.openedBy(m, n)
			opened = true
		case k == op.KindNext && !c.isBegin(n) && next != nil:
			c.failf(n, "begins the next round, which %s (%s) does already", next, next.Pos)
		case k == op.KindNext && !c.isBegin(n):
			next = n
		case k == op.KindRecv:
			opened = opened || len(n.In) == 0 || free(n.In[0].Def)
		}
	}
	m.Start = m.Start || !opened
}

func (c *cutter) openedBy(m *Module, n *ir.Node) {
	m.Open = n
	switch n.Op {
	case "Pulse":
		m.Start = true
	case "BootstrapDispatch":
		m.Bootstrap = true
	case "Interval":
		if m.Every = time.Duration(n.Int("period_ns", 0)); m.Every <= 0 {
			c.failf(n, "attribute %q is %d, want more than 0", "period_ns", m.Every)
		}
	case "EventSource":
		m.On = []string{camel(n.Str("kind", ""))}
		if m.On[0] == "" {
			c.failf(n, "has no attribute %q: say which events", "kind")
		}
	case "LifecyclePhase":
		m.On = []string{"Phase"}
	case "Rounds":
		m.Rounds = n.Int("n", 0)
	}
}

// camel is peer_up as PeerUp.
func camel(s string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '_' || r == ' ' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// opens1 is the module whose next execution a Next begins.
func (b *body) opens1(n *ir.Node) *Module {
	for _, s := range b.begins {
		if s.first == n {
			return b.moduleOf(s.rounds)
		}
	}
	if b.module.Open == nil || b.module.Open.Op != "Rounds" {
		b.failf(n, "begins a round of a loop %q, which is not there", n.Str(op.NameAttr, ""))
	}
	return b.module
}

func (c *cutter) moduleOf(n *ir.Node) *Module {
	for _, k := range c.classes {
		for _, a := range k.acts {
			if slices.Contains(a.nodes, n) {
				return a.module
			}
		}
	}
	panic("BUG: a node belongs to no activity")
}

// origins are where the executions of a group may begin: the host of a class, or
// a node.
func (c *cutter) origins(g *group, seen map[*group]bool) map[any]bool {
	out := map[any]bool{}
	if seen[g] {
		return out
	}
	seen[g] = true
	if g.host {
		out[g.class] = true
	}
	for _, n := range g.openers() {
		for o := range c.originsOf(n, seen) {
			out[o] = true
		}
	}
	if len(out) == 0 && !g.opened() {
		out[g] = true
	}
	return out
}

// originsOf is [cutter.origins] for one node that opens executions.
func (c *cutter) originsOf(n *ir.Node, seen map[*group]bool) map[any]bool {
	if s := c.senderOf(n); s != nil && !apart(s) {
		return c.origins(c.groups[s].find(), seen)
	}
	return map[any]bool{n: true}
}

// meet checks that what a node waits for can come in one execution.
func (b *body) meet() {
	seen := map[cutSet]bool{}
	for _, n := range b.nodes {
		full := b.full[n]
		if seen[full] {
			continue
		}
		seen[full] = true
		var cuts []*Cut
		for _, c := range b.module.Cuts {
			if full.has(c) && (c.Kind == Fill || c.Kind == Input) {
				cuts = append(cuts, c)
			}
		}
		for i, c := range cuts {
			for _, d := range cuts[:i] {
				if !b.mayMeet(c, d) {
					b.failf(n, "waits for %s and %s, which never come in one execution: they begin in different places; Any takes whichever comes", d, c)
					return
				}
			}
		}
	}
}

func (b *body) mayMeet(c, d *Cut) bool {
	if c.Kind == Input && d.Kind == Input {
		return true
	}
	x, y := b.originsAt(c), b.originsAt(d)
	for o := range x {
		if y[o] {
			return true
		}
	}
	return false
}

func (b *body) originsAt(c *Cut) map[any]bool {
	if c.Kind == Input {
		if b.module.Open != nil {
			return map[any]bool{b.module.Open: true}
		}
		return map[any]bool{b.class: true}
	}
	return b.originsOf(c.Node, map[*group]bool{})
}

// String names a cut point as messages do.
func (c *Cut) String() string { return strings.ToLower(kindNames[c.Kind]) + " " + c.Name }

var kindNames = [...]string{Input: "input", Fill: "fill", Gather: "gather", Command: "command", Timer: "timer", Event: "event", Local: "local"}

// sortClasses puts classes in the order of their names.
func (c *cutter) sortClasses() {
	slices.SortFunc(c.classes, func(a, b *class) int { return cmp.Compare(a.name, b.name) })
}
