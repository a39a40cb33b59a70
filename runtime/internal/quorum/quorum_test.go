package quorum

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/container"
)

// newGather returns a gather that has asked peers 0 to n-1 at time 0, and the set of the peers that are down.
func newGather(n, min, full int, adapts bool) (*Gather, *container.Bitset) {
	g, down := &Gather{}, container.NewBitset(n)
	for i := range n {
		g.Ask(i)
	}
	g.Expect(0, 0, min, full, adapts)
	return g, &down
}

func (g *Gather) contribute(peers ...int) {
	for _, p := range peers {
		g.Begin(p)
		g.Contribute(p)
	}
}

func wantVerdict(t *testing.T, g *Gather, now int64, down *container.Bitset, d *Debts, want Verdict, until int64) {
	t.Helper()
	g.Reach(now)
	if got, at := g.Verdict(now, down, d); got != want || at != until {
		t.Errorf("at %d with %d contributions: verdict %d until %d, want %d until %d", now, g.Count(), got, at, want, until)
	}
}

// A gather with a deadline is done when it has enough, or the quorum and nothing else can come.
func TestVerdict(t *testing.T) {
	g, down := newGather(4, 2, 3, false)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.contribute(0)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.contribute(1)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	down.Add(2)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.Begin(3)
	down.Add(3)
	wantVerdict(t, g, 1, down, nil, Waits, 0) // what has begun may be completed
	g.Fail(3)
	wantVerdict(t, g, 1, down, nil, Done, 0)
	down.Remove(2)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.contribute(2)
	wantVerdict(t, g, 1, down, nil, Done, 0)
	if missing := slices.Collect(g.Missing); len(missing) > 0 {
		t.Errorf("%d are missing, want none", missing)
	}
}

// A quorum is impossible when too few peers are left, were asked, or could be asked.
func TestImpossible(t *testing.T) {
	g, down := newGather(3, 2, 0, false)
	g.Begin(0)
	g.Fail(0)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.contribute(1)
	g.Fail(1) // it was complete, and is refused
	if g.Count() != 0 || g.HasQuorum() {
		t.Errorf("%d contributions count, want none", g.Count())
	}
	wantVerdict(t, g, 1, down, nil, Impossible, 0)
	if missing := slices.Collect(g.Missing); !slices.Equal(missing, []int{2}) {
		t.Errorf("%d are missing, want 2", missing)
	}

	g = &Gather{}
	wantVerdict(t, g, 1, down, nil, Waits, 0) // nobody was asked yet
	g.Ask(1)
	g.Expect(0, 2, 0, 0, false)
	if g.Min != 3 || g.Full != 3 {
		t.Errorf("all of 3 are %d and %d", g.Min, g.Full)
	}
	wantVerdict(t, g, 1, down, nil, Impossible, 0)

	g = &Gather{}
	g.Expect(0, 0, 0, 0, false)
	wantVerdict(t, g, 1, down, nil, Done, 0) // none of none
}

// What came before the peers were asked counts if its peer was asked.
func TestEarly(t *testing.T) {
	g := &Gather{}
	g.contribute(7, 100, 2)
	g.Begin(3)
	g.Fail(3)
	g.Begin(4)
	g.Fail(4)
	for _, p := range []int{100, 3, 5, 100} {
		g.Ask(p)
	}
	if g.Expect(9, 0, 1, 9, false); g.Count() != 1 || g.failures != 1 || g.Full != 3 || g.Since != 9 {
		t.Errorf("%d contributions and %d failures count, want 1 and 1: %+v", g.Count(), g.failures, g)
	}
	if !slices.Equal(g.Asked(), []int{100, 3, 5}) || !g.Asks(100) || g.Asks(7) || g.Asks(1000) {
		t.Errorf("asked are %d", g.Asked())
	}
	g.Reset()
	if g.Armed || g.Count() != 0 || len(g.Asked()) > 0 || g.Asks(100) || !g.Awaits(100) || g.begun.has(100) {
		t.Errorf("a gather that is used again remembers %+v", g)
	}
}

// A gather that adapts waits for each of the others as long as its budget lasts, which its debts reduce.
func TestLateness(t *testing.T) {
	const second = int64(1e9)
	g, down := newGather(4, 2, 4, true)
	d := &Debts{}
	g.contribute(0, 1)
	if took, ok := g.Reach(second); took != second || !ok {
		t.Errorf("the quorum took %d, %v, want a second", took, ok)
	}
	if _, ok := g.Reach(2 * second); ok {
		t.Error("the quorum is reached twice")
	}
	wantVerdict(t, g, second, down, d, Waits, 9*second)
	d.Charge(g, 2, 4*second)
	wantVerdict(t, g, 4*second, down, d, Waits, 6*second)
	wantVerdict(t, g, 6*second, down, d, Waits, 9*second) // for the other
	wantVerdict(t, g, 9*second, down, d, Done, 0)
	d.Settle(g, 5*second)
	if d.of(2) != 6500e6 || d.of(3) != 3500e6 || d.of(0) != 0 || d.of(99) != 0 {
		t.Errorf("debts are %d: each is what it was and 4 s, less a half of a second", d.peers)
	}
	d.Charge(g, 3, 99*second)
	if d.of(3) != 8*second {
		t.Errorf("a debt is %d, want at most the budget", d.of(3))
	}

	g, down = newGather(2, 1, 2, true) // a quorum in no time
	g.contribute(0)
	wantVerdict(t, g, 0, down, &Debts{}, Waits, leastLate)
	wantVerdict(t, g, 0, down, &Debts{[]int64{0, leastLate - leastWait + 1}}, Done, 0) // too little is left to wait for
	g, _ = newGather(2, 1, 2, true)
	if d := (&Debts{[]int64{5, 5}}); true {
		d.Charge(g, 0, 9)
		d.Settle(g, 9)
		if !slices.Equal(d.peers, []int64{5, 5}) {
			t.Errorf("without a quorum debts are %d, want 5 and 5 as before", d.peers)
		}
	}
}

// A gather that adapts waits for its quorum at least a minute, then as long as a peer may contribute, and at most
// an hour. Each time it waits twice as long.
func TestOverdue(t *testing.T) {
	g, down := newGather(2, 2, 2, true)
	for _, tt := range []struct {
		now, again int64
		isDown     bool
		isOver     bool
	}{
		{1e9, FirstWait, true, false}, {FirstWait / 2, FirstWait, false, false}, {FirstWait, 2 * FirstWait, false, false},
		{2000e9, LongestWait, false, false}, {FirstWait, 0, true, true}, {LongestWait, 0, false, true},
	} {
		for i := range 2 {
			if down.Remove(i); tt.isDown {
				down.Add(i)
			}
		}
		if again, isOver := g.Overdue(tt.now, down); again != tt.again || isOver != tt.isOver {
			t.Errorf("%+v: got %d, %v", tt, again, isOver)
		}
	}
	g, down = newGather(3, 1, 3, false)
	g.contribute(1)
	wantVerdict(t, g, 1, down, nil, Waits, 0)
	g.StopAtQuorum()
	wantVerdict(t, g, 1, down, nil, Done, 0)
}

// The result of hopes equals that of a check of all asked peers, whatever the order in which they contribute,
// go down and come back.
func TestHopes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var g Gather
		down := container.NewBitset(100)
		for i := range 100 {
			if r.IntN(2) == 0 {
				g.Ask(i)
				g.Ask(i)
			}
		}
		for len(g.asked) > 0 {
			p := g.asked[r.IntN(len(g.asked))]
			switch {
			case r.IntN(3) == 0 && down.Has(p):
				down.Remove(p)
			case r.IntN(3) == 0:
				down.Add(p)
			case !g.begun.has(p):
				g.Begin(p)
			case g.Awaits(p):
				g.Contribute(p)
			}
			want := slices.ContainsFunc(g.asked, func(p int) bool { return g.Awaits(p) && (g.begun.has(p) || !down.Has(p)) })
			if got := g.hopes(&down, nil); got != want {
				t.Fatalf("got %v, want %v", got, want)
			}
			if !want {
				break
			}
		}
	}
}
