package quorum

import "github.com/bbgen/bbgen/runtime/internal/container"

// A Verdict is what becomes of a gather.
type Verdict uint8

// The verdicts.
const (
	Waits      Verdict = iota // for contributions
	Done                      // it has enough
	Impossible                // its quorum cannot be reached any more
)

// The times for which a gather without a set deadline waits for its quorum, in ns: the minimum; the time until
// missing peers are reported, while the usual time of quorums is not known; and the maximum.
const (
	FirstWait   = 60e9
	LongestWait = 3600e9
)

// Reach records when a gather that adapts has its quorum. It returns how long that took, and true the first time.
func (g *Gather) Reach(now int64) (took int64, ok bool) {
	if !g.Armed || !g.Adapts || g.Reached || !g.HasQuorum() {
		return 0, false
	}
	g.Reached, g.ReachedAt = true, now
	return now - g.Since, true
}

// Verdict returns what becomes of a gather with the contributions that it has. If it has its quorum and waits for
// the other peers as long as their budgets last, until is when it has to be examined again; otherwise until is 0.
// Call [Gather.Reach] before.
func (g *Gather) Verdict(now int64, down *container.Bitset, debts *Debts) (v Verdict, until int64) {
	switch {
	case !g.Armed:
		return Waits, 0
	case len(g.asked)-g.failures < g.Min:
		return Impossible, 0
	case g.count < g.Min:
		return Waits, 0
	case g.count >= g.Full:
		return Done, 0
	case g.Adapts:
		if g.hopes(down, func(peer int) bool {
			until = g.ReachedAt + g.budget() - debts.of(peer)
			return now < until && until-g.ReachedAt >= leastWait
		}) {
			return Waits, until
		}
		return Done, 0
	case g.hopes(down, nil):
		return Waits, 0
	}
	return Done, 0
}

// Overdue returns when a gather that adapts and has no quorum has to be examined again, or true if it must not wait
// any longer: it waits for a minute at least, and longer as long as one of the peers may still contribute.
func (g *Gather) Overdue(now int64, down *container.Bitset) (again int64, isOver bool) {
	waited := now - g.Since
	if waited >= LongestWait || waited >= FirstWait && !g.hopes(down, nil) {
		return 0, true
	}
	return g.Since + min(max(2*waited, FirstWait), LongestWait), false
}

// StopAtQuorum makes the quorum enough: when it is reached, the gather is done.
func (g *Gather) StopAtQuorum() { g.Full = g.Min }
