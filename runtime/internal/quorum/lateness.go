package quorum

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
func (g *Gather) budget() int64 { return max(lateRounds*(g.ReachedAt-g.Since), leastLate) }

// repaid returns how much of each debt a gather repays. It limits rounds with peers that never answer to 1.5
// times the time to their quorum.
func (g *Gather) repaid() int64 { return (g.ReachedAt - g.Since) / 2 }

// Debts is how much of its budget each peer has used in consecutive gathers. The zero value has no debts.
type Debts struct{ peers []int64 }

func (d *Debts) of(peer int) int64 {
	if peer < len(d.peers) {
		return d.peers[peer]
	}
	return 0
}

func (d *Debts) set(peer int, debt int64) {
	if missing := peer + 1 - len(d.peers); missing > 0 {
		d.peers = append(d.peers, make([]int64, missing)...)
	}
	d.peers[peer] = debt
}

// Charge adds to a peer's debt that a gather with a quorum has waited for it until now.
func (d *Debts) Charge(g *Gather, peer int, now int64) {
	if g.Reached {
		d.set(peer, min(d.of(peer)+now-g.ReachedAt, g.budget()))
	}
}

// Settle updates the debts when a gather ends.
func (d *Debts) Settle(g *Gather, now int64) {
	if !g.Reached {
		return
	}
	for _, p := range g.asked {
		if g.Awaits(p) {
			d.Charge(g, p, now)
		}
		d.set(p, max(d.of(p)-g.repaid(), 0))
	}
}
