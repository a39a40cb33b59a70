package partitioner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// opener sets the fields of a module that describe what opens the executions of an activity.
func (c *cutter) opener(a *activity) {
	m, opened := a.module, len(a.params) > 0
	var next *ir.Node
	for _, n := range a.nodes {
		switch k := op.PeerKindOf(n); {
		case k == op.KindOpen && peer.Bootstraps(n) && op.OpensOf(n) != op.OpensBootstrap: // at the start
		case k == op.KindOpen && m.Open != nil:
			c.failf(n, "opens executions that %s (%s) opens already: nothing can wait for both", m.Open, m.Open.Pos)
		case k == op.KindOpen:
			c.openedBy(m, n)
			opened = true
			if len(a.params) > 0 && !m.Bootstrap {
				c.failf(n, "opens executions that also wait for the host's input %s, which comes in executions that the host begins: a Queue or a Hold takes values from one execution to another", a.params[0].Name)
			}
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
	switch op.OpensOf(n) {
	case op.OpensAtStart:
		m.Start = true
	case op.OpensBootstrap:
		m.Bootstrap = true
	case op.OpensEvery:
		if m.Every = time.Duration(n.Int64("period_ns")); m.Every <= 0 {
			c.failf(n, "attribute %q is %d, want more than 0", "period_ns", m.Every)
		}
	case op.OpensOnEvent:
		m.On = []string{camel(n.Str("kind"))}
		if m.On[0] == "" {
			c.failf(n, "has no attribute %q: say which events", "kind")
		}
	case op.OpensOnPhase:
		m.On = []string{"Phase"}
	case op.OpensRounds:
		m.Rounds, m.Short, m.Patience = n.Int("n"), n.Str("short"), time.Duration(n.Int64("patience"))
	}
}

// camel converts peer_up to PeerUp.
func camel(s string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '_' || r == ' ' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// opens1 returns the module of which a Next begins the next execution.
func (b *body) opens1(n *ir.Node) *Module {
	for _, s := range b.begins {
		if s.first == n {
			return b.moduleOf(s.rounds)
		}
	}
	if b.module.Open == nil || op.OpensOf(b.module.Open) != op.OpensRounds {
		b.failf(n, "begins a round of a loop %q, which is not there", n.Str(peer.NameAttr))
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

// String returns the name of a cut point as it appears in messages.
func (c *Cut) String() string { return strings.ToLower(kindNames[c.Kind]) + " " + c.Name }

var kindNames = [...]string{Input: "input", Fill: "fill", Gather: "gather", Command: "command", Timer: "timer", Event: "event", Local: "local", Together: "collective"}

// sortClasses sorts classes by name.
func (c *cutter) sortClasses() {
	slices.SortFunc(c.classes, func(a, b *class) int { return cmp.Compare(a.name, b.name) })
}

func (c *cutter) isBegin(n *ir.Node) bool {
	return slices.ContainsFunc(c.begins, func(b begin) bool { return b.first == n })
}
