package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/wire"
)

// gather joins what a set of peers send for one GatherCut: each in a child frame
// of its own, which counts when its last block has run.
type gather struct {
	cut      int
	children []*Frame         // in the order of their peers: see [peer.before]
	asked    []*peer          // who may contribute; nobody before [Node.Expect]
	who      container.Bitset // their indices
	hope     int              // the one of them who could still contribute when that was last of interest
	armed    bool             // Expect was called
	min      int
	full     int
	count    int // children that have contributed
	failed   int // children of which a block failed
	since    int64
	adapts   bool  // its deadline does: see lateness.go
	quorate  bool  // the quorum is there
	quorumAt int64 // since when
	wakeAt   int64 // when it is looked at again, with its quorum; 0: nothing is planned
}

func (g *gather) reset() {
	clear(g.children)
	clear(g.asked)
	g.who.Clear()
	*g = gather{cut: g.cut, children: g.children[:0], asked: g.asked[:0], who: g.who}
}

// ErrQuorum is why a gather failed: at its deadline too few had contributed.
var ErrQuorum = errors.New("no quorum")

// How long a gather waits for its quorum where nobody says, ns: at least, and until it
// tells who is missing as long as it is not known how long quorums take; and at most.
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

// Expect says who contributes to a GatherCut, and when it has its value: as
// soon as full of them have contributed; as soon as at least min have and the
// others are known to be down; at the deadline, if at least min have. If fewer
// have by then, it fails, and at once when fewer than min are left that could. A
// full or a min of 0 means all of the peers.
//
// Within is the deadline, ns from now. If it is 0, it follows how long the quorum
// takes: with min of the peers the gather waits for the others as long as the budget
// of time lasts of one of them, see lateness.go. Fewer than min are no failure then,
// which a busy machine would often make of it: the gather waits for min of them, a
// minute at least, and longer as long as one of the others is up. It never waits for
// more than an hour.
func (n *Node) Expect(f *Frame, cut int, peers []wire.PeerID, min, full int, within int64) {
	g := f.gather(cut)
	all := 0
	for _, id := range peers {
		if p := n.peer(id); p == nil {
			all++ // nobody can ask it
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
	// What came before it was asked for, from peers that were not asked.
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
	n.deadlines.add(n, timer{at: n.now + within, kind: kind, frame: f, gen: f.gen, cut: cut})
	if p := f.module.Patience; p > 0 && (g.adapts || p > within) {
		n.deadlines.add(n, timer{at: n.now + p, kind: cutDeadline, frame: f, gen: f.gen, cut: cut})
	}
	n.weigh(f, g)
}

// Gathered returns the child frames that contributed to a GatherCut, in the
// order of the peers' classes and ranks. They are the frame's until it ends.
func (n *Node) Gathered(f *Frame, cut int) []Body {
	n.gathered = n.gathered[:0]
	for _, c := range f.gather(cut).children {
		if c.ended && !c.broken {
			n.gathered = append(n.gathered, c.body)
		}
	}
	return n.gathered
}

// LeaveOut says that a contribution to a GatherCut was not used after all, and
// why. It returns an error when too few are left.
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

// child returns the frame of a peer's contribution, which it opens if there is
// none yet.
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
	case !n.roomFor(payer):
		n.overflow("executions")
		return nil, fmt.Errorf("%w: %d executions", ErrOverflow, n.frames)
	}
	c := n.newFrame(m, &f.exec, p)
	c.charge(payer)
	c.parent = f
	g.children = slices.Insert(g.children, at, c)
	n.begin(c)
	return c, nil
}

// contributed says that a child frame has run its last block.
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

// weigh sees whether a gather has what it needs, or never will.
func (n *Node) weigh(f *Frame, g *gather) {
	switch {
	case !g.armed || f.ended || f.settled(g.cut):
	case len(g.asked)-g.failed < g.min:
		n.noQuorum(f, g)
	case g.count >= g.min && !n.waitsOn(f, g):
		n.gatherDone(f, g)
	}
}

// hopes reports whether a peer may still contribute for which it is worth waiting; nil:
// for anybody. It looks from the one on who could before: there are as many questions as
// peers.
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

// ask adds a peer to those who may contribute.
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

// gatherDone gives a gather its value and tells who is not in it.
func (n *Node) gatherDone(f *Frame, g *gather) {
	f.module.settle(g, n.now)
	n.telemetry.Gather.Add(n.now - g.since)
	if g.count < len(g.asked) {
		n.endShort(f, g)
	}
	n.arrive(f, g.cut)
}

// noQuorum fails a gather for which too few have contributed.
func (n *Node) noQuorum(f *Frame, g *gather) {
	n.endShort(f, g)
	err := fmt.Errorf("%w: %d of %d peers, want %d", ErrQuorum, g.count, len(g.asked), g.min)
	if len(g.asked) < g.min {
		err = fmt.Errorf("%w: %d could be asked, want %d", ErrQuorum, len(g.asked), g.min)
	}
	n.lose(f, g.cut, err)
}

// endShort ends a gather without all who were asked.
func (n *Node) endShort(f *Frame, g *gather) {
	n.tellMissing(f, g)
	f.short = true
}

// awaits reports whether a peer has not contributed, nor failed to.
func (g *gather) awaits(p *peer) bool {
	c := g.of(p)
	return c == nil || !c.ended
}

// awaited reports whether a gather waits for a peer, which may have lost its connection
// with the answer still to come.
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

// overdue looks at a gather whose deadline adapts. One that has no quorum yet waits for
// that alone from now on, twice as long each time.
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
	next := g.since + min(max(2*waited, firstWait), longestWait)
	n.deadlines.add(n, timer{at: next, kind: cutOverdue, frame: f, gen: f.gen, cut: cut})
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
	case g.count >= g.min && g.adapts: // it waits for the others: see lateness.go
	case g.count >= g.min:
		n.gatherDone(f, g)
	case n.staysOpen(f, g):
	case f.module.Short == ShortWaits:
		n.loseWaited(f, g)
	default:
		n.noQuorum(f, g)
	}
}

// ErrDeadline is why a value will never come: its time is over.
var ErrDeadline = errors.New("deadline exceeded")
