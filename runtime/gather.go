package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrQuorum is the error of a gather with too few contributions at its deadline.
var ErrQuorum = errors.New("no quorum")

// Expect sets which peers contribute to a GatherCut, and when it gets its value: as soon as full of them have
// contributed; as soon as at least min have and the others are known to be down; at the deadline, if at least
// min have. If fewer have contributed by then, it fails. It fails at once when fewer than min peers can still
// contribute. A full or a min of 0 means all of the peers.
//
// Within is the deadline, in ns from now. If it is 0, the deadline follows from the time that the quorum takes:
// after min contributions the gather waits for each of the other peers as long as that peer's time budget
// lasts, see package quorum. Then it does not fail for having fewer than min contributions after a fixed time,
// which would often happen on a busy machine: it waits for min of them, at least a minute, and longer as long
// as one of the others is up, but never for more than an hour.
func (e *Engine) Expect(f *Frame, cut int, peers []wire.PeerID, min, full int, within int64) {
	n := e.node()
	g := f.gather(cut)
	unknown := 0
	for _, id := range peers {
		if p := n.peer(id); p == nil {
			unknown++
		} else {
			g.Ask(p.index)
		}
	}
	g.Expect(n.now, unknown, min, full, within <= 0)
	// Contributions that were received before Expect, some of them from peers for which the gather does not wait.
	g.children = slices.DeleteFunc(g.children, func(c *Frame) bool {
		if g.Asks(c.from.index) {
			c.charge(f.owner)
			return false
		}
		n.refuse(c.from, f.exec, 0, ErrNotAsked)
		n.drop(c)
		return true
	})
	kind := cutDeadline
	if within <= 0 {
		within, kind = f.module.quorumTimes.Deadline(quorum.FirstWait, quorum.LongestWait), cutOverdue
	}
	n.setDeadline(f, cut, kind, n.now+within)
	if p := f.module.Patience; p > 0 && (g.Adapts || p > within) {
		n.setDeadline(f, cut, cutDeadline, n.now+p)
	}
	n.applyVerdict(f, g)
}

// Gathered returns the child frames that contributed to a GatherCut, in the order of the peers' classes and
// ranks. They belong to the frame until it ends.
func (e *Engine) Gathered(f *Frame, cut int) []Body {
	e.gathered = e.gathered[:0]
	for _, c := range f.gather(cut).children {
		if c.ended && !c.broken {
			e.gathered = append(e.gathered, c.body)
		}
	}
	return e.gathered
}

// LeaveOut records that a contribution to a GatherCut was not used, and why. It returns an error when too few
// are left.
func (e *Engine) LeaveOut(f *Frame, cut int, from wire.PeerID, why error) error {
	return e.node().refuseContribution(f, cut, from, why)
}

// refuseContribution records that a contribution to a GatherCut was not used. It returns an error when too few are left.
func (n *Node) refuseContribution(f *Frame, cut int, from wire.PeerID, why error) error {
	g := f.gather(cut)
	c := g.children[slices.IndexFunc(g.children, func(c *Frame) bool { return c.from.id == from })]
	if !c.broken { // another component may have refused it as well
		c.broken, c.why = true, why
		g.Fail(c.from.index)
		n.stats.Refused++
		n.queueEvent(Event{Kind: Refused, Module: f.module.Name, Name: f.module.Cuts[cut].Name, Exec: f.exec, Peer: from, Err: why})
	}
	if !g.HasQuorum() {
		return fmt.Errorf("%w: %d contributions of %d peers are left, want %d; from %v: %w", ErrQuorum, g.Count(), len(g.Asked()), g.Min, from, why)
	}
	return nil
}

// child returns the frame of a peer's contribution. It opens the frame if there is none.
func (n *Node) child(f *Frame, m *module, p *peer) (*Frame, error) {
	g := f.gather(m.ParentCut)
	at, found := slices.BinarySearchFunc(g.children, p, func(c *Frame, p *peer) int { return c.from.compare(p) })
	if found {
		return g.children[at], nil
	}
	payer := f.payer(g, p)
	switch {
	case f.settled(g.cut):
		return nil, ErrLate
	case g.Armed && !g.Asks(p.index):
		return nil, ErrNotAsked
	case !n.ledger.Admits(payer.share(), ledger.Frames, 1):
		n.overflow("executions")
		return nil, fmt.Errorf("%w: %d executions", ErrOverflow, n.ledger.Used(ledger.Frames))
	}
	c := n.newFrame(m, &f.exec, p)
	c.charge(payer)
	c.parent = f
	g.children = slices.Insert(g.children, at, c)
	g.Begin(p.index)
	n.begin(c)
	return c, nil
}

// contributed records that a child frame has run its last block.
func (n *Node) contributed(c *Frame) {
	f := c.parent
	g := f.gather(c.module.ParentCut)
	if c.broken {
		g.Fail(c.from.index)
	} else {
		g.Contribute(c.from.index)
	}
	f.module.debts.Charge(&g.Gather, c.from.index, n.now)
	n.applyVerdict(f, g)
}

// applyVerdict carries out the verdict on a gather.
func (n *Node) applyVerdict(f *Frame, g *gather) {
	if f.ended || f.settled(g.cut) {
		return
	}
	if took, ok := g.Reach(n.now); ok {
		f.module.quorumTimes.Add(took)
	}
	switch v, until := g.Verdict(n.now, &n.down, &f.module.debts); {
	case v == quorum.Impossible:
		n.noQuorum(f, g)
	case v == quorum.Done, until > 0 && !n.setExamineTimer(f, g, until):
		n.gatherDone(f, g)
	}
}

// setExamineTimer sets a timer to examine a gather again. It returns false if there is no room for the timer.
func (n *Node) setExamineTimer(f *Frame, g *gather, at int64) bool {
	if g.wakeAt > 0 && g.wakeAt <= at {
		return true
	}
	if !n.hasTimer(&n.timers.deadlines, f.owner) {
		return false
	}
	g.wakeAt = at
	n.setDeadline(f, g.cut, cutOverdue, at)
	return true
}

// gatherDone sets the cut point of a gather, and reports the peers that did not contribute.
func (n *Node) gatherDone(f *Frame, g *gather) {
	f.module.debts.Settle(&g.Gather, n.now)
	n.telemetry.Gather.Add(n.now - g.Since)
	if g.Count() < len(g.Asked()) {
		n.endShort(f, g)
	}
	n.arrive(f, g.cut)
}

// noQuorum fails a gather with too few contributions.
func (n *Node) noQuorum(f *Frame, g *gather) {
	n.endShort(f, g)
	asked := len(g.Asked())
	err := fmt.Errorf("%w: %d of %d peers, want %d", ErrQuorum, g.Count(), asked, g.Min)
	if asked < g.Min {
		err = fmt.Errorf("%w: %d could be asked, want %d", ErrQuorum, asked, g.Min)
	}
	n.lose(f, g.cut, err)
}

// endShort ends a gather that lacks some of its peers.
func (n *Node) endShort(f *Frame, g *gather) {
	n.reportMissing(f, g)
	f.short = true
}

// awaited reports whether a gather waits for a peer. The peer's answer may still be received after its connection was
// lost.
func (n *Node) awaited(p *peer) bool {
	for f := n.first; f != nil; f = f.next {
		for i := range f.gathers {
			if f.gathers[i].waitsFor(f, p) {
				return true
			}
		}
	}
	return false
}

// reportMissing reports the peers for which a gather waits.
func (n *Node) reportMissing(f *Frame, g *gather) {
	for i := range g.Missing {
		n.stats.Missing++
		n.queueEvent(Event{Kind: Missing, Module: f.module.Name, Name: f.module.Cuts[g.cut].Name, Exec: f.exec, Peer: n.byIndex[i].id, Since: g.Since})
	}
}

// overdue examines a gather with an adaptive deadline. A gather without its quorum then waits only for the
// quorum, twice as long each time.
func (n *Node) overdue(f *Frame, cut int) {
	if f.module.Cuts[cut].Kind == CollectiveCut {
		n.overdueCall(f, cut)
		return
	}
	if f.settled(cut) || f.module.Cuts[cut].Kind != GatherCut {
		return
	}
	g := f.gather(cut)
	if g.Reached {
		g.wakeAt = 0
		n.applyVerdict(f, g)
		return
	}
	again, isOver := g.Overdue(n.now, &n.down)
	if isOver {
		n.expire(f, cut)
		return
	}
	n.reportMissing(f, g)
	g.StopAtQuorum()
	n.setDeadline(f, cut, cutOverdue, again)
}

// expire ends the wait for a cut point.
func (n *Node) expire(f *Frame, cut int) {
	if f.settled(cut) {
		return
	}
	if f.module.Cuts[cut].Kind != GatherCut {
		n.stats.Missing++
		n.queueEvent(Event{Kind: Missing, Module: f.module.Name, Name: f.module.Cuts[cut].Name, Exec: f.exec, Since: n.now - f.module.Cuts[cut].Within})
		n.lose(f, cut, ErrDeadline)
		return
	}
	g := f.gather(cut)
	switch {
	case g.HasQuorum() && g.Adapts: // it waits for the other peers as long as their budgets last
	case g.HasQuorum():
		n.gatherDone(f, g)
	case n.waitsForQuorum(f, g):
	case f.module.Short == ShortWaits:
		n.failWaited(f, g)
	default:
		n.noQuorum(f, g)
	}
}

// ErrDeadline is the error of a value that was not received before its deadline.
var ErrDeadline = errors.New("deadline exceeded")
