package quorum

import "github.com/bbgen/bbgen/runtime/internal/container"

// A Gather is the state of one gather. Contributions may begin before the peers are asked; then the gather is not
// armed.
type Gather struct {
	Armed  bool // [Gather.Expect] was called
	Min    int  // the quorum
	Full   int  // so many contributions are enough
	Since  int64
	Adapts bool // the deadline adapts to the time that the quorum takes

	Reached   bool // a gather that adapts has its quorum
	ReachedAt int64

	asked       []int // in the order in which they were asked
	isAsked     peers
	begun       peers // those of which a contribution has begun
	contributed peers
	failed      peers
	count       int // contributions that have not failed
	failures    int
	hope        int // the index of the asked peer that could still contribute when hopes was last called
}

// peers is a set of peers.
type peers struct{ container.Bitset }

func (s *peers) put(peer int) {
	s.Widen(peer + 1)
	s.Add(peer)
}

func (s *peers) has(peer int) bool { return peer < s.Width() && s.Has(peer) }

// Reset makes a Gather ready to be used again, and keeps its memory.
func (g *Gather) Reset() {
	for _, s := range []*peers{&g.isAsked, &g.begun, &g.contributed, &g.failed} {
		s.Clear()
	}
	*g = Gather{asked: g.asked[:0], isAsked: g.isAsked, begun: g.begun, contributed: g.contributed, failed: g.failed}
}

// Ask adds a peer to those that may contribute.
func (g *Gather) Ask(peer int) {
	if !g.isAsked.has(peer) {
		g.isAsked.put(peer)
		g.asked = append(g.asked, peer)
	}
}

// Asked returns the peers that may contribute, in the order in which they were asked.
func (g *Gather) Asked() []int { return g.asked }

// Asks reports whether a peer may contribute.
func (g *Gather) Asks(peer int) bool { return g.isAsked.has(peer) }

// Expect arms a gather when its peers have been asked, and unknown more that cannot be asked. A full or a min of 0
// means all of the peers. Contributions of peers that were not asked no longer count.
func (g *Gather) Expect(now int64, unknown, min, full int, adapts bool) {
	all := len(g.asked) + unknown
	if full <= 0 || full > all {
		full = all
	}
	if min <= 0 {
		min = all
	}
	g.Armed, g.Min, g.Full, g.Since, g.Adapts = true, min, max(full, min), now, adapts // fewer than the quorum are never enough
	g.count, g.failures = 0, 0
	for _, p := range g.asked {
		switch {
		case g.failed.has(p):
			g.failures++
		case g.contributed.has(p):
			g.count++
		}
	}
}

// Begin records that a contribution has begun.
func (g *Gather) Begin(peer int) { g.begun.put(peer) }

// Contribute records that a contribution that has begun is complete.
func (g *Gather) Contribute(peer int) {
	g.contributed.put(peer)
	g.count++
}

// Fail records that a contribution failed, before it was complete or afterwards.
func (g *Gather) Fail(peer int) {
	if g.contributed.has(peer) {
		g.count--
	}
	g.failed.put(peer)
	g.failures++
}

// Count returns the number of contributions.
func (g *Gather) Count() int { return g.count }

// HasQuorum reports whether there are enough contributions at the deadline.
func (g *Gather) HasQuorum() bool { return g.count >= g.Min }

// Awaits reports whether a peer has neither contributed nor failed to.
func (g *Gather) Awaits(peer int) bool { return !g.contributed.has(peer) && !g.failed.has(peer) }

// Missing calls yield with the asked peers that have neither contributed nor failed to.
func (g *Gather) Missing(yield func(peer int) bool) {
	for _, p := range g.asked {
		if g.Awaits(p) && !yield(p) {
			return
		}
	}
}

// hopes reports whether a peer for which worth returns true may still contribute; a nil worth accepts every peer.
// A peer that is down may only complete what it has begun. The search begins at the peer that was found last, so
// that all calls together make as many checks as there are peers.
func (g *Gather) hopes(down *container.Bitset, worth func(peer int) bool) bool {
	for range g.asked {
		p := g.asked[g.hope]
		if g.Awaits(p) && (g.begun.has(p) || !down.Has(p)) && (worth == nil || worth(p)) {
			return true
		}
		g.hope = (g.hope + 1) % len(g.asked)
	}
	return false
}
