package quorum

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/container"
)

// naive is a gather as the documentation of Node.Expect describes it, recounted from the events each time.
type naive struct {
	asked                      []int
	begun, contributed, failed map[int]bool
	armed, adapts, reached     bool
	min, full                  int
	since, reachedAt           int64
}

func (m *naive) count(in func(p int) bool) (n int) {
	for _, p := range m.asked {
		if in(p) {
			n++
		}
	}
	return n
}

func (m *naive) contributions() int {
	return m.count(func(p int) bool { return m.contributed[p] && !m.failed[p] })
}

// mayCome reports whether a peer may still contribute.
func (m *naive) mayCome(p int, down *container.Bitset) bool {
	return !m.contributed[p] && !m.failed[p] && (m.begun[p] || !down.Has(p))
}

// verdict returns what becomes of the gather, and whether a gather that adapts waits for one of the peers.
func (m *naive) verdict(now int64, down *container.Bitset, debts []int64) (v Verdict, waitsFor func(until int64) bool) {
	has := m.contributions()
	left := len(m.asked) - m.count(func(p int) bool { return m.failed[p] })
	switch {
	case !m.armed:
		return Waits, nil
	case left < m.min:
		return Impossible, nil
	case has < m.min:
		return Waits, nil
	case has >= m.full:
		return Done, nil
	case !m.adapts:
		if m.count(func(p int) bool { return m.mayCome(p, down) }) > 0 {
			return Waits, nil
		}
		return Done, nil
	}
	var until []int64
	for _, p := range m.asked {
		left := max(8*(m.reachedAt-m.since), 100e6) - debts[p]
		if m.mayCome(p, down) && left >= 1e6 && now < m.reachedAt+left {
			until = append(until, m.reachedAt+left)
		}
	}
	if len(until) == 0 {
		return Done, nil
	}
	return Waits, func(at int64) bool { return slices.Contains(until, at) }
}

// TestGatherModel compares gathers with a recount under random events: peers are asked, contributions begin before and after
// that, are complete, fail, and are left out afterwards; peers go down and come back. The memory of a gather is used again.
func TestGatherModel(t *testing.T) {
	var g Gather
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		peers := 1 + r.IntN(9)
		if seed%50 == 0 {
			peers = 130 // more than one word of a set
		}
		down, debts := container.NewBitset(peers), Debts{}
		m := naive{begun: map[int]bool{}, contributed: map[int]bool{}, failed: map[int]bool{}}
		g.Reset()
		now := r.Int64N(1000)
		for p := range peers {
			if r.IntN(4) > 0 { // near to what the budget is in quick rounds
				debts.set(p, 101e6-r.Int64N(1<<r.IntN(27)))
			}
		}
		events := 5 * peers
		for range events {
			now += r.Int64N(1 << r.IntN(26))
			p := r.IntN(peers)
			switch r.IntN(8) {
			case 0:
				if !m.armed && r.IntN(2) == 0 {
					m.expect(&g, r, now, peers)
				}
			case 1:
				if down.Has(p) {
					down.Remove(p)
				} else {
					down.Add(p)
				}
			case 2:
				if m.armed && slices.Contains(m.asked, p) && !m.failed[p] && m.contributed[p] { // left out by the aggregator
					g.Fail(p)
					m.failed[p] = true
				}
			default:
				m.contribute(&g, r, p)
			}
			m.check(t, &g, now, &down, &debts)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		if before := debts; m.armed {
			m.settle(t, &g, now, before, peers)
		}
	}
}

// expect asks some of the peers, some of them twice, and arms the gather.
func (m *naive) expect(g *Gather, r *rand.Rand, now int64, peers int) {
	for range r.IntN(2 * peers) {
		p := r.IntN(peers)
		g.Ask(p)
		if !slices.Contains(m.asked, p) {
			m.asked = append(m.asked, p)
		}
	}
	unknown, min, full := r.IntN(3)/2, r.IntN(peers+2), r.IntN(peers+2)
	m.armed, m.since, m.adapts = true, now, r.IntN(2) == 0
	all := len(m.asked) + unknown
	if m.min = min; min == 0 {
		m.min = all
	}
	if m.full = full; full == 0 || full > all {
		m.full = all
	}
	m.full = max(m.full, m.min)
	g.Expect(now, unknown, min, full, m.adapts)
}

// contribute begins a contribution, or ends one that has begun. After peers were asked, none begins of another one.
func (m *naive) contribute(g *Gather, r *rand.Rand, p int) {
	switch {
	case m.contributed[p] || m.failed[p] || m.armed && !slices.Contains(m.asked, p):
	case !m.begun[p]:
		g.Begin(p)
		m.begun[p] = true
	case r.IntN(4) == 0:
		g.Fail(p)
		m.failed[p] = true
	default:
		g.Contribute(p)
		m.contributed[p] = true
	}
}

func (m *naive) check(t *testing.T, g *Gather, now int64, down *container.Bitset, debts *Debts) {
	t.Helper()
	if took, ok := g.Reach(now); ok != (m.armed && m.adapts && !m.reached && m.contributions() >= m.min) || ok && took != now-m.since {
		t.Errorf("the quorum is reached: %v, after %d", ok, took)
	} else if ok {
		m.reached, m.reachedAt = true, now
	}
	list := make([]int64, down.Width())
	for p := range list {
		list[p] = debts.of(p)
	}
	want, waitsFor := m.verdict(now, down, list)
	got, until := g.Verdict(now, down, debts)
	if got != want || (until != 0) != (waitsFor != nil) || waitsFor != nil && !waitsFor(until) {
		t.Errorf("verdict %d until %d, want %d; asked %v, begun %v, contributed %v, failed %v, of %d to %d", got, until, want, m.asked, m.begun, m.contributed, m.failed, m.min, m.full)
	}
	if m.armed && g.Count() != m.contributions() {
		t.Errorf("%d contributions, want %d", g.Count(), m.contributions())
	}
	var missing []int
	for _, p := range m.asked {
		if !m.contributed[p] && !m.failed[p] {
			missing = append(missing, p)
		}
	}
	if got := slices.Collect(g.Missing); !slices.Equal(got, missing) {
		t.Errorf("%d are missing, want %d", got, missing)
	}
	m.checkOverdue(t, g, now, down)
}

// checkOverdue: a gather without its quorum waits a minute at least and an hour at most, and in between as long as somebody
// may come; and never without an end.
func (m *naive) checkOverdue(t *testing.T, g *Gather, now int64, down *container.Bitset) {
	t.Helper()
	if !m.armed {
		return
	}
	anybody := m.count(func(p int) bool { return m.mayCome(p, down) }) > 0
	for _, at := range []int64{now, m.since + FirstWait - 1, m.since + FirstWait, m.since + 5*FirstWait, m.since + LongestWait - 1, m.since + LongestWait, m.since + 2*LongestWait} {
		waited := at - m.since
		want := waited >= LongestWait || waited >= FirstWait && !anybody
		again, isOver := g.Overdue(at, down)
		if isOver != want || !isOver && (again <= at || again > m.since+LongestWait) {
			t.Errorf("after %d: over %v, again at %d after %d, want %v", waited, isOver, again, again-m.since, want)
		}
	}
}

// settle checks that debts never exceed a budget, and that a gather repays half of the time to its quorum.
func (m *naive) settle(t *testing.T, g *Gather, now int64, d Debts, peers int) {
	t.Helper()
	before := make([]int64, peers)
	for p := range before {
		before[p] = d.of(p)
	}
	d.Settle(g, now)
	took := m.reachedAt - m.since
	for p := range before {
		want := before[p]
		if m.reached && slices.Contains(m.asked, p) {
			if !m.contributed[p] && !m.failed[p] {
				want = min(want+now-m.reachedAt, max(8*took, 100e6))
			}
			want = max(want-took/2, 0)
		}
		if got := d.of(p); got != want {
			t.Errorf("peer %d has a debt of %d, had %d, want %d", p, got, before[p], want)
		}
	}
}
