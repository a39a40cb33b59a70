package collective

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// lyingEntered makes one rank tell each other rank another number of calls of Enter that have begun: to some the true one, to
// others a larger one, in which it believes itself from then on.
func (x *training) lyingEntered(liar int, more []uint64) {
	x.alter = func(from, to int, m *Message) {
		g := x.groups[liar]
		if from != liar || m.Type != Lost || m.Epoch != g.epoch || !g.frozen {
			return
		}
		r, rest, err := g.readSigned(m.Data)
		if err != nil || len(rest) > 0 {
			x.t.Fatalf("a report that cannot be read: %v", err)
		}
		next := g.streams[g.enter].next
		r.entered = max(r.entered, next+more[to])
		g.change(&report{entered: next + slices.Max(more)})
		m.Data = g.sign(r).appendSigned(nil)
	}
}

// TestLyingEntered: a rank that restarts without its state joins the others in one call of Enter, and all have the same state
// afterwards, though one of them tells each other one another number of calls that it has begun.
func TestLyingEntered(t *testing.T) {
	joined, lied := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		ranks := 4 + r.IntN(3)
		x := newTraining(t, seed, ranks, 14)
		liar, again := 0, 1+r.IntN(ranks-1)
		more := make([]uint64, ranks)
		for i := range more {
			more[i] = r.Uint64N(4)
		}
		x.lyingEntered(liar, more)
		at := r.IntN(300)
		for turn := 0; !x.over(); turn++ {
			if turn > 50000 {
				t.Fatalf("seed %d: it does not end: %s", seed, x.text())
			}
			if rank := r.IntN(ranks); !x.dead[rank] {
				x.advance(rank)
			}
			for range r.IntN(8) {
				x.step()
			}
			if turn == at {
				x.kill(again)
				x.by[x.ranks[again].step()]--
				x.beginAgain(again)
			}
		}
		for _, g := range x.groups {
			if !g.waits && g.Epoch() == x.groups[liar].Epoch() && g.admitted[again].since != x.groups[liar].admitted[again].since {
				t.Errorf("seed %d: %d since %d at one rank, and %d at another", seed, again, g.admitted[again].since, x.groups[liar].admitted[again].since)
			}
		}
		joined += x.joined
		if slices.Max(more[1:]) != slices.Min(more[1:]) {
			lied++
		}
	}
	if joined < 100 || lied < 100 {
		t.Errorf("ranks have joined %d times, and a rank has lied %d times, want more", joined, lied)
	}
}

// enterGroup returns rank 0 of four, which has begun some calls of Enter.
func enterGroup(t *testing.T, begun int) *Group {
	t.Helper()
	g, err := New(Config{Ranks: 4, IfLost: Repeat, Life: 1, Calls: 8, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}}})
	if err != nil {
		t.Fatal(err)
	}
	for range begun {
		if err := g.Begin(0, Value{}); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// joinReport returns a report that rank 3 of four joins.
func joinReport(ticket, entered uint64) *report {
	return &report{lost: []bool{3: true}, joins: []uint64{3: ticket}, entered: entered, streams: make([]progress, 1)}
}

// sentReports returns the reports that a rank sends to another one, in their order.
func sentReports(t *testing.T, g *Group, to int) (list []*report) {
	t.Helper()
	for g.Waits(to) {
		m, ok := g.Pull(to)
		if !ok {
			t.Fatal("something waits and cannot be pulled")
		}
		if m.Type != Lost {
			continue
		}
		r, _, err := g.readReport(m.Data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func receiveReport(t *testing.T, g *Group, from int, r *report) {
	t.Helper()
	if err := g.Receive(from, &Message{Type: Lost, Epoch: g.Epoch(), Data: r.appendSigned(nil)}); err != nil {
		t.Fatal(err)
	}
}

// TestEnteredIsAgreed: a rank repeats a larger number of calls that it hears, and ends the epoch only when all have reported the
// same one, in whatever order the reports come.
func TestEnteredIsAgreed(t *testing.T) {
	orders := [][]struct {
		from    int
		entered uint64
	}{
		{{1, 2}, {2, 5}, {1, 5}},
		{{2, 5}, {1, 2}, {1, 5}},
		{{1, 3}, {1, 5}, {2, 2}, {2, 5}},
		{{1, 5}, {1, 3}, {2, 5}}, // the smaller one was overtaken
	}
	for i, order := range orders {
		g := enterGroup(t, 2)
		epoch := g.Epoch()
		g.Restarted(3)
		if err := g.Receive(3, &Message{Type: Join, Call: 7}); err != nil {
			t.Fatal(err)
		}
		for k, r := range order {
			if g.Epoch() != epoch {
				t.Errorf("order %d: the epoch has ended before report %d", i, k)
			}
			receiveReport(t, g, r.from, joinReport(7, r.entered))
		}
		if g.Epoch().Number != epoch.Number+1 || g.admitted[3].since != 5 {
			t.Errorf("order %d: epoch %v follows %v, and rank 3 joins in call %d, want 5", i, g.Epoch(), epoch, g.admitted[3].since)
		}
		var last uint64
		for _, r := range sentReports(t, g, 1) {
			if r.entered < last {
				t.Errorf("order %d: it reports %d calls after %d", i, r.entered, last)
			}
			last = r.entered
		}
		if last != 5 {
			t.Errorf("order %d: it reports %d calls, want 5", i, last)
		}
	}
}

// TestEnteredAlone: a larger number of calls ends no epoch, as nothing has changed.
func TestEnteredAlone(t *testing.T) {
	g := enterGroup(t, 2)
	epoch := g.Epoch()
	receiveReport(t, g, 1, &report{lost: make([]bool, 4), joins: make([]uint64, 4), entered: 6, streams: make([]progress, 1)})
	if g.frozen || g.Epoch() != epoch || len(sentReports(t, g, 1)) > 0 {
		t.Errorf("frozen: %v, epoch %v", g.frozen, g.Epoch())
	}
}

// TestEnteredTooFar: nobody has begun so many calls that the following ones have no numbers. A rank that says so, in a report or a
// decision, is named, and nothing changes.
func TestEnteredTooFar(t *testing.T) {
	for _, entered := range []uint64{maxEntered + 1, 1 << 63, math.MaxUint64} {
		g := enterGroup(t, 2)
		err := g.Receive(1, &Message{Type: Lost, Epoch: g.Epoch(), Data: joinReport(7, entered).appendSigned(nil)})
		rank, ok := errors.AsType[*RankError](err)
		if !ok || rank.Rank != 1 || !errors.Is(err, ErrMessage) || g.frozen {
			t.Errorf("%d calls: %v, and the epoch ends: %v", entered, err, g.frozen)
		}
		receiveReport(t, g, 1, joinReport(7, 2))
		d := &decision{lost: []bool{3: true}, joins: []uint64{3: 7}, reports: []*report{joinReport(7, entered), joinReport(7, entered), joinReport(7, entered), nil}}
		epoch := g.Epoch()
		if err := g.Receive(2, &Message{Type: Decided, Epoch: epoch, Data: d.append(nil)}); !errors.Is(err, ErrMessage) || g.Epoch() != epoch {
			t.Errorf("a decision of %d calls: %v", entered, err)
		}
	}
}

// TestJoinsLate: a rank that joins in a call far ahead asks for the state in it, and is not to blame that the others are not there yet. Calls
// that are as far ahead and not that one are refused.
func TestJoinsLate(t *testing.T) {
	g := enterGroup(t, 2)
	const since = 1000
	receiveReport(t, g, 1, joinReport(7, since))
	receiveReport(t, g, 2, joinReport(7, since))
	for _, from := range []int{1, 2, 3} {
		for _, call := range []uint64{since - 1, since, since + 1} {
			err := g.Receive(from, &Message{Type: Ready, Call: call, Epoch: g.Epoch()})
			if may := from == 3 && call == since; may != (err == nil) || err != nil && !errors.Is(err, ErrOrder) {
				t.Errorf("rank %d is ready for call %d: %v", from, call, err)
			}
		}
	}
}

// TestDecisionOfOneCall: a decision whose reports name different calls was made by nobody.
func TestDecisionOfOneCall(t *testing.T) {
	for _, different := range []bool{false, true} {
		g := enterGroup(t, 2)
		receiveReport(t, g, 1, joinReport(7, 5))
		second := joinReport(7, 5)
		if different {
			second.entered = 4
		}
		d := &decision{lost: []bool{3: true}, joins: []uint64{3: 7}, reports: []*report{joinReport(7, 5), joinReport(7, 5), second, nil}}
		err := g.Receive(1, &Message{Type: Decided, Epoch: g.Epoch(), Data: d.append(nil)})
		if different != errors.Is(err, ErrMessage) || different == (g.admitted[3].since == 5) {
			t.Errorf("reports differ: %v: %v, and rank 3 joins in call %d", different, err, g.admitted[3].since)
		}
	}
}

// TestEnteredOverARestart: a rank that restarts with its state while the ranks agree reports the same number again.
func TestEnteredOverARestart(t *testing.T) {
	g := enterGroup(t, 2)
	receiveReport(t, g, 1, joinReport(7, 5))
	state, err := g.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(g.config)
	if err == nil {
		err = again.UnmarshalBinary(state)
	}
	if err != nil {
		t.Fatal(err)
	}
	receiveReport(t, again, 2, joinReport(7, 4))
	if again.Epoch() != g.Epoch() {
		t.Fatal("it ends the epoch without the agreement of rank 2")
	}
	receiveReport(t, again, 2, joinReport(7, 5))
	if again.Epoch().Number != g.Epoch().Number+1 || again.admitted[3].since != 5 {
		t.Errorf("epoch %v, and rank 3 joins in call %d, want 5", again.Epoch(), again.admitted[3].since)
	}
	if b, err := again.AppendBinary(nil); err != nil || bytes.Equal(b, state) {
		t.Errorf("nothing has changed: %v", err)
	}
}
