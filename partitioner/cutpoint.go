package partitioner

import (
	"slices"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// cut finds the cut points of a module: the places where a value may arrive later than its reader could run.
func (b *body) cut() {
	b.cutOf, b.timers, b.locals = map[*ir.Node]*Cut{}, map[*ir.Node]*Cut{}, map[*ir.Value]*Cut{}
	b.brings = map[*ir.Value]*Cut{}
	b.async = map[*ir.Node]*Cut{}
	b.sizeValue = map[string]*ir.Value{}
	for _, p := range b.params {
		b.input(p, ownName(b.class.name, p.Name))
	}
	gathers := map[*gathered]bool{}
	for _, n := range b.nodes {
		b.cutAt(n, gathers)
	}
	if len(b.errs) > 0 {
		return
	}
	b.link()
	b.questions()
	b.opens = b.always()
}

func (b *body) input(v *ir.Value, name string) {
	c := b.add(&Cut{Kind: Input, Name: name, Values: []*ir.Value{v}})
	b.module.Inputs = append(b.module.Inputs, c)
}

// cutAt adds the cut points that a node causes.
func (b *body) cutAt(n *ir.Node, gathers map[*gathered]bool) {
	switch k := op.PeerKindOf(n); {
	case op.OpensOf(n) == op.OpensRounds:
		for _, v := range n.Out {
			b.input(v, v.Name)
		}
	case k == op.KindRecv && b.module.Parent == nil && len(n.In) > 0:
		if g := b.childOf[n.Out[0]]; !gathers[g] {
			gathers[g] = true
			g.cut = b.add(b.gatherCut(g))
			b.cutOf[n] = g.cut
		}
	case k == op.KindRecv:
		c := &Cut{Kind: Fill, Name: n.Str("port"), Node: n, Values: n.Out[:1], Edge: b.edgeOf[n], Within: time.Duration(n.Int64("within_ns"))}
		if from := n.Res(1); from != nil && b.isRead(from) {
			c.Sender = from
		}
		b.add(c)
	case k == op.KindWait:
		kind := Event
		if op.Lookup(n).Peer.Timer {
			kind = Timer
		}
		b.cutOf[n] = b.add(&Cut{Kind: kind, Name: n.Name, Node: n, Values: present(n.Out)})
	case k == op.KindCollective:
		b.cutOf[n] = b.add(&Cut{Kind: Together, Name: n.Str("port"), Node: n, Values: present(n.Out), Edge: b.edgeOf[n]})
	case k == op.KindFirst:
		if n.Has("deadline_ns") {
			b.timers[n] = b.add(&Cut{Kind: Timer, Name: n.Name + ".deadline", Node: n})
		}
		b.cutOf[n] = b.add(&Cut{Kind: Local, Name: n.Name, Node: n, Values: present(n.Out)})
	case b.isCommand(n):
		b.cutOf[n] = b.add(&Cut{Kind: Command, Name: n.Name, Node: n, Values: present(n.Out), Slot: b.slotOf[n]})
	}
}

// add adds a cut point and numbers it.
func (b *body) add(c *Cut) *Cut {
	c.Index = len(b.module.Cuts)
	b.module.Cuts = append(b.module.Cuts, c)
	if c.Index == maxCuts {
		b.errorf("module %s of %s has more than %d cut points (the next is %s): divide it, for instance by sending several values as one Bundle or computing several in one call", b.module.Name, b.class.name, maxCuts, c.Name)
	}
	for _, v := range c.Values {
		b.brings[v] = c
	}
	if c.Sender != nil {
		b.brings[c.Sender] = c
	}
	return c
}

// isCommand reports whether a call of a role's method runs on the host's worker.
func (b *body) isCommand(n *ir.Node) bool {
	k := op.PeerKindOf(n)
	return (k == op.KindCall || k == op.KindGather || k == op.KindFold && b.joinOf(n) == nil) && b.commands[b.slotOf[n]]
}

// joinOf returns the only call that waits for a Fold: it combines the folded values, and its command folds
// first, so that no snapshot comes between the two. It is nil if there is no such call.
func (b *body) joinOf(fold *ir.Node) (join *ir.Node) {
	for _, n := range b.nodes {
		if !slices.Contains(reads(n), fold.Out[0]) {
			continue
		}
		if join != nil || op.PeerKindOf(n) != op.KindGather || b.slotOf[n] != b.slotOf[fold] {
			return nil
		}
		join = n
	}
	return join
}

// commandSlots finds the slots with a command among their methods. Their other methods become commands, too,
// as no other call may access the component while a command runs. The same holds for slots that share a queue
// with them.
func (c *cutter) commandSlots() {
	c.commands = map[*Slot]bool{}
	for _, k := range c.classes {
		groups := map[int]bool{}
		for _, n := range k.nodes {
			if s := c.slotOf[n]; s != nil && c.command(s, n) {
				groups[s.Group] = true
			}
		}
		for _, s := range k.part.Slots {
			c.commands[s] = groups[s.Group]
		}
	}
}

func (c *cutter) command(s *Slot, n *ir.Node) bool {
	if c.opt.Command != nil {
		return c.opt.Command(s, n)
	}
	return op.Lookup(n).Peer.Slow
}

// link finds the preceding calls on each node's slots. Collectives come after the node where peers join. A
// Next comes after everything else.
func (b *body) link() {
	b.prev = map[*ir.Node][]*ir.Node{}
	for _, chain := range b.chains(b.nodes) {
		for i, n := range chain[1:] {
			b.prev[n] = append(b.prev[n], chain[i])
		}
	}
	enter := b.enterOf(b.nodes)
	for _, n := range b.nodes {
		if enter != nil && n != enter && b.computes(n) {
			b.prev[n] = append(b.prev[n], enter)
		}
		if op.PeerKindOf(n) == op.KindNext {
			b.prev[n] = b.notAfter(n)
		}
	}
}

// notAfter returns the nodes that do not depend on n.
func (b *body) notAfter(n *ir.Node) []*ir.Node {
	after := map[*ir.Node]bool{n: true}
	var out []*ir.Node
	for _, x := range b.nodes {
		for _, v := range reads(x) {
			if v.Def != nil && after[v.Def] {
				after[x] = true
			}
		}
		if !after[x] && op.PeerKindOf(x) != op.KindNext {
			out = append(out, x)
		}
	}
	return out
}

// always returns the cut points that have come whenever a frame is open: all host inputs, or the only fill
// that can open it. If either the host or a fill can, there are none.
func (b *body) always() cutSet {
	var inputs, fills cutSet
	count := 0
	for _, c := range b.module.Cuts {
		switch {
		case c.Kind == Input:
			inputs.add(c)
		case c.Kind == Fill && !b.answers(c.Node):
			fills.add(c)
			count++
		}
	}
	switch {
	case count == 0:
		return inputs
	case count == 1 && inputs.isEmpty() && !b.module.Start && b.module.Open == nil:
		return fills
	}
	return cutSet{}
}

// answers reports whether a Recv receives an answer to a message of its own module.
func (b *body) answers(recv *ir.Node) bool {
	g, s := b.groups[recv], b.senderOf(recv)
	return g != nil && s != nil && slices.Contains(b.causes(b.groups[s].find()), cause{group: g.find(), away: aside(s)})
}
