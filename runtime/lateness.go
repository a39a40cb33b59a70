package runtime

// If no deadline is set, a gather that has its quorum waits for the other peers, for each within a time budget.
// The lateness of a peer, measured from the quorum on, is a debt that reduces its budget, and each gather
// repays a part of the time that its own quorum took. So a peer that is a little slower than the others always
// takes part, a peer that was late a few times is waited for again later, and a peer that is always late makes
// rounds at most half as long again.
const (
	lateRounds = 8     // a budget, in multiples of the time to the present quorum
	leastLate  = 100e6 // ns; the minimum: rounds of milliseconds have random delays
	leastWait  = 1e6   // ns; a smaller rest of a budget is kept for a later gather: a timer may take as long
)

// budget returns how long a gather that has its quorum waits for a peer without debts.
func (g *gather) budget() int64 { return max(lateRounds*(g.quorumAt-g.since), leastLate) }

// repaid returns how much of each debt a gather repays. It limits rounds with peers that never answer to 1.5
// times the time to their quorum.
func (g *gather) repaid() int64 { return (g.quorumAt - g.since) / 2 }

// waitsOn reports whether a gather that has its quorum waits for more contributions, and plans when to check
// again.
func (n *Node) waitsOn(f *Frame, g *gather) bool {
	if g.adapts && !g.quorate {
		g.quorate, g.quorumAt = true, n.now
		f.module.took.add(n.now - g.since)
	}
	switch {
	case g.count >= g.full:
		return false
	case !g.adapts:
		return g.hopes(nil)
	}
	var until int64
	worth := func(p *peer) bool {
		until = g.quorumAt + g.budget() - *f.module.debt(p)
		return n.now < until && until-g.quorumAt >= leastWait
	}
	if !g.hopes(worth) {
		return false
	}
	if g.wakeAt > 0 && g.wakeAt <= until {
		return true
	}
	if !n.hasTimer(&n.timers.deadlines, f.owner) {
		return false
	}
	g.wakeAt = until
	n.setDeadline(f, g.cut, cutOverdue, until)
	return true
}

// debt returns how much of its budget a peer has used in the gathers of a module.
func (m *module) debt(p *peer) *int64 {
	if missing := p.index + 1 - len(m.debts); missing > 0 {
		m.debts = append(m.debts, make([]int64, missing)...)
	}
	return &m.debts[p.index]
}

// charge adds to a peer's debt that a gather with a quorum has waited for it until now.
func (m *module) charge(g *gather, p *peer, now int64) {
	d := m.debt(p)
	*d = min(*d+now-g.quorumAt, g.budget())
}

// settle updates the debts when a gather ends.
func (m *module) settle(g *gather, now int64) {
	if !g.quorate {
		return
	}
	for _, p := range g.asked {
		if g.awaits(p) {
			m.charge(g, p, now)
		}
		d := m.debt(p)
		*d = max(*d-g.repaid(), 0)
	}
}
