package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// gather collects the fills of a set of peers for one GatherCut: each in a child frame of its own, which counts
// when its last block has run.
type gather struct {
	cut      int
	children []*Frame         // in the order of their peers: see [peer.before]
	asked    []*peer          // the peers that may contribute; none before [Node.Expect]
	who      container.Bitset // their indices
	hope     int              // the index of an asked peer that could still contribute when hopes was last called
	armed    bool             // Expect was called
	min      int
	full     int
	count    int // children that have contributed
	failed   int // children of which a block failed
	since    int64
	adapts   bool  // its deadline adapts: see lateness.go
	quorate  bool  // the quorum is reached
	quorumAt int64 // when it was reached
	wakeAt   int64 // when the gather is examined again after its quorum; 0: not planned
}

func (g *gather) reset() {
	clear(g.children)
	clear(g.asked)
	g.who.Clear()
	*g = gather{cut: g.cut, children: g.children[:0], asked: g.asked[:0], who: g.who}
}

// ErrQuorum is the error of a gather with too few contributions at its deadline.
var ErrQuorum = errors.New("no quorum")

// The times for which a gather without a set deadline waits for its quorum, in ns: the minimum; the time until
// missing peers are reported, while the usual time of quorums is not known; and the maximum.
const (
	firstWait   = 60e9
	longestWait = 3600e9
)

func (f *Frame) gather(cut int) *gather {
	for i := range f.gathers {
		if f.gathers[i].cut == cut {
			return &f.gathers[i]
		}
	}
	panic(fmt.Sprintf("BUG: cut point %s of %s is no gather", f.module.Cuts[cut].Name, f.module.Name))
}

// Expect sets which peers contribute to a GatherCut, and when it gets its value: as soon as full of them have
// contributed; as soon as at least min have and the others are known to be down; at the deadline, if at least
// min have. If fewer have contributed by then, it fails. It fails at once when fewer than min peers can still
// contribute. A full or a min of 0 means all of the peers.
//
// Within is the deadline, in ns from now. If it is 0, the deadline follows from the time that the quorum takes:
// after min contributions the gather waits for each of the other peers as long as that peer's time budget
// lasts, see lateness.go. Then it does not fail for having fewer than min contributions after a fixed time,
// which would often happen on a busy machine: it waits for min of them, at least a minute, and longer as long
// as one of the others is up, but never for more than an hour.
func (n *Node) Expect(f *Frame, cut int, peers []wire.PeerID, min, full int, within int64) {
	g := f.gather(cut)
	all := 0
	for _, id := range peers {
		if p := n.peer(id); p == nil {
			all++ // unknown, so it cannot be asked
		} else {
			g.ask(p)
		}
	}
	all += len(g.asked)
	if full <= 0 || full > all {
		full = all
	}
	if min <= 0 {
		min = all
	}
	g.armed, g.min, g.full, g.since, g.adapts = true, min, max(full, min), n.now, within <= 0 // fewer than the quorum are never enough
	// Contributions that came before Expect from peers that were not asked.
	g.children = slices.DeleteFunc(g.children, func(c *Frame) bool {
		if g.asks(c.from) {
			c.charge(f.owner)
			return false
		}
		n.refuse(c.from, f.exec, 0, ErrNotAsked)
		switch {
		case c.ended && c.broken:
			g.failed--
		case c.ended:
			g.count--
		}
		n.drop(c)
		return true
	})
	kind := cutDeadline
	if within <= 0 {
		within, kind = f.module.took.deadline(firstWait, longestWait), cutOverdue
	}
	n.setDeadline(f, cut, kind, n.now+within)
	if p := f.module.Patience; p > 0 && (g.adapts || p > within) {
		n.setDeadline(f, cut, cutDeadline, n.now+p)
	}
	n.weigh(f, g)
}

// Gathered returns the child frames that contributed to a GatherCut, in the order of the peers' classes and
// ranks. They belong to the frame until it ends.
func (n *Node) Gathered(f *Frame, cut int) []Body {
	n.gathered = n.gathered[:0]
	for _, c := range f.gather(cut).children {
		if c.ended && !c.broken {
			n.gathered = append(n.gathered, c.body)
		}
	}
	return n.gathered
}

// LeaveOut records that a contribution to a GatherCut was not used, and why. It returns an error when too few
// are left.
func (n *Node) LeaveOut(f *Frame, cut int, from wire.PeerID, why error) error {
	g := f.gather(cut)
	c := g.children[slices.IndexFunc(g.children, func(c *Frame) bool { return c.from.id == from })]
	if !c.broken { // another component may have refused it as well
		c.broken, c.why = true, why
		g.count--
		g.failed++
		n.stats.Refused++
		n.tell(Event{Kind: Refused, Module: f.module.Name, Name: f.module.Cuts[cut].Name, Exec: f.exec, Peer: from, Err: why})
	}
	if g.count < g.min {
		return fmt.Errorf("%w: %d contributions of %d peers are left, want %d; from %v: %w", ErrQuorum, g.count, len(g.asked), g.min, from, why)
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
	case g.armed && !g.asks(p):
		return nil, ErrNotAsked
	case !n.ledger.Admits(payer.share(), ledger.Frames, 1):
		n.overflow("executions")
		return nil, fmt.Errorf("%w: %d executions", ErrOverflow, n.ledger.Used(ledger.Frames))
	}
	c := n.newFrame(m, &f.exec, p)
	c.charge(payer)
	c.parent = f
	g.children = slices.Insert(g.children, at, c)
	n.begin(c)
	return c, nil
}

// contributed records that a child frame has run its last block.
func (n *Node) contributed(c *Frame) {
	f := c.parent
	g := f.gather(c.module.ParentCut)
	if c.broken {
		g.failed++
	} else {
		g.count++
	}
	if g.quorate {
		f.module.charge(g, c.from, n.now)
	}
	n.weigh(f, g)
}

// weigh checks whether a gather has its value, or never will.
func (n *Node) weigh(f *Frame, g *gather) {
	switch {
	case !g.armed || f.ended || f.settled(g.cut):
	case len(g.asked)-g.failed < g.min:
		n.noQuorum(f, g)
	case g.count >= g.min && !n.waitsOn(f, g):
		n.gatherDone(f, g)
	}
}

// hopes reports whether a peer for which worth returns true may still contribute; a nil worth accepts every
// peer. The search begins at the peer that was found last, so that all calls together make as many checks as
// there are peers.
func (g *gather) hopes(worth func(p *peer) bool) bool {
	for range g.asked {
		p := g.asked[g.hope]
		if c := g.of(p); (c == nil && !p.down || c != nil && !c.ended) && (worth == nil || worth(p)) {
			return true
		}
		g.hope = (g.hope + 1) % len(g.asked)
	}
	return false
}

// ask adds a peer to those that may contribute.
func (g *gather) ask(p *peer) {
	if g.asks(p) {
		return
	}
	g.who.Widen(p.index + 1)
	g.who.Add(p.index)
	g.asked = append(g.asked, p)
}

// asks reports whether a peer may contribute.
func (g *gather) asks(p *peer) bool { return p.index < g.who.Width() && g.who.Has(p.index) }

func (g *gather) of(p *peer) *Frame {
	at, found := slices.BinarySearchFunc(g.children, p, func(c *Frame, p *peer) int { return c.from.compare(p) })
	if !found {
		return nil
	}
	return g.children[at]
}

// gatherDone sets the cut point of a gather, and reports the peers that did not contribute.
func (n *Node) gatherDone(f *Frame, g *gather) {
	f.module.settle(g, n.now)
	n.telemetry.Gather.Add(n.now - g.since)
	if g.count < len(g.asked) {
		n.endShort(f, g)
	}
	n.arrive(f, g.cut)
}

// noQuorum fails a gather with too few contributions.
func (n *Node) noQuorum(f *Frame, g *gather) {
	n.endShort(f, g)
	err := fmt.Errorf("%w: %d of %d peers, want %d", ErrQuorum, g.count, len(g.asked), g.min)
	if len(g.asked) < g.min {
		err = fmt.Errorf("%w: %d could be asked, want %d", ErrQuorum, len(g.asked), g.min)
	}
	n.lose(f, g.cut, err)
}

// endShort ends a gather without all asked peers.
func (n *Node) endShort(f *Frame, g *gather) {
	n.tellMissing(f, g)
	f.short = true
}

// awaits reports whether a peer has neither contributed nor failed to.
func (g *gather) awaits(p *peer) bool {
	c := g.of(p)
	return c == nil || !c.ended
}

// awaited reports whether a gather waits for a peer. The peer's answer may still come after its connection was
// lost.
func (n *Node) awaited(p *peer) bool {
	for f := n.first; f != nil; f = f.next {
		for i := range f.gathers {
			if g := &f.gathers[i]; g.armed && !f.settled(g.cut) && g.asks(p) && g.awaits(p) {
				return true
			}
		}
	}
	return false
}

func (n *Node) tellMissing(f *Frame, g *gather) {
	for _, p := range g.asked {
		if g.awaits(p) {
			n.stats.Missing++
			n.tell(Event{Kind: Missing, Module: f.module.Name, Name: f.module.Cuts[g.cut].Name, Exec: f.exec, Peer: p.id, Since: g.since})
		}
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
	if g.quorate {
		g.wakeAt = 0
		n.weigh(f, g)
		return
	}
	waited := n.now - g.since
	if waited >= longestWait || waited >= firstWait && !g.hopes(nil) {
		n.expire(f, cut)
		return
	}
	n.tellMissing(f, g)
	g.full = g.min
	n.setDeadline(f, cut, cutOverdue, g.since+min(max(2*waited, firstWait), longestWait))
}

// expire ends the wait for a cut point.
func (n *Node) expire(f *Frame, cut int) {
	if f.settled(cut) {
		return
	}
	if f.module.Cuts[cut].Kind != GatherCut {
		n.stats.Missing++
		n.tell(Event{Kind: Missing, Module: f.module.Name, Name: f.module.Cuts[cut].Name, Exec: f.exec, Since: n.now - f.module.Cuts[cut].Within})
		n.lose(f, cut, ErrDeadline)
		return
	}
	g := f.gather(cut)
	switch {
	case g.count >= g.min && g.adapts: // it waits for the other peers: see lateness.go
	case g.count >= g.min:
		n.gatherDone(f, g)
	case n.staysOpen(f, g):
	case f.module.Short == ShortWaits:
		n.loseWaited(f, g)
	default:
		n.noQuorum(f, g)
	}
}

// ErrDeadline is the error of a value that did not come before its deadline.
var ErrDeadline = errors.New("deadline exceeded")
