package walk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// TestFalseNotes: in a walk whose peers replace nothing by themselves, one peer that takes part correctly tells the others
// about tokens that do not exist. The walk goes on, and one token is left.
func TestFalseNotes(t *testing.T) {
	const liar, n = 3, 8
	lies := map[string]func(r *rand.Rand, s stamp) stamp{
		"a later generation": func(_ *rand.Rand, s stamp) stamp { return stamp{s.generation + 1, 5, 0} },
		"a later number":     func(_ *rand.Rand, s stamp) stamp { return stamp{s.generation, math.MaxUint64, 1} },
		"more steps":         func(_ *rand.Rand, s stamp) stamp { return stamp{s.generation, s.nonce, s.steps + 1<<20} },
		"a step":             func(_ *rand.Rand, s stamp) stamp { return stamp{s.generation, s.nonce, s.steps + 1} },
		"any": func(r *rand.Rand, s stamp) stamp {
			return stamp{s.generation + r.Uint64N(3), r.Uint64(), s.steps + r.Uint64N(1<<20)}
		},
	}
	for name, lie := range lies {
		for seed := range uint64(10) {
			x := newTown(t, seed, n)
			for _, w := range x.all {
				w.Silence = 0
			}
			for x.now < 400 {
				x.period()
				for to := range n {
					if to != liar && x.r.IntN(3) == 0 {
						x.send(liar, to, nil, lie(x.r, x.latest()))
					}
				}
			}
			before := x.latest()
			for range 200 {
				x.period()
			}
			if after := x.latest(); after.steps < before.steps+100 || x.tokens() != 1 {
				t.Errorf("%s, seed %d: %d tokens, the latest is %+v and was %+v: want one that goes on", name, seed, x.tokens(), after, before)
			}
		}
	}
}

// TestNoteReplacesNothing: a note, from whomever and of whatever token, leaves a token where it is.
func TestNoteReplacesNothing(t *testing.T) {
	for _, s := range []stamp{{4, 1, 9}, {3, 8, 1}, {3, 7, 51}, {3, 7, 52}, {3, 7, 1000}, {3, 7, 50}, {2, 9, 99}, {}} {
		w := newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
		if _, err := w.take(id(1), id(5), &token{stamp{3, 7, 50}, id(4), []float64{1}}); err != nil {
			t.Fatal(err)
		}
		held := w.held
		for _, from := range []int{4, 5, 6} {
			if err := w.Answered(id(from), note(s)); err != nil {
				t.Fatal(err)
			}
		}
		if w.held != held {
			t.Errorf("after a note of %+v the peer holds %+v", s, w.held)
		}
		if _, err := w.take(id(1), id(5), &token{stamp{3, 7, 60}, id(4), []float64{1}}); err != nil || w.held == nil || w.held.steps != 61 {
			t.Errorf("after a note of %+v a token does not come in: %+v (%v)", s, w.held, err)
		}
	}
}

// passedTo returns a peer that has passed a token to another one.
func passedTo(t *testing.T, to wire.PeerID) (w *Walk, passed *token) {
	w = newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
	if _, err := w.take(id(1), id(5), &token{stamp{3, 7, 50}, id(4), []float64{1}}); err != nil {
		t.Fatal(err)
	}
	return w, w.pass(to)
}

// TestDiscarded: a token that its receiver has discarded is passed to another peer, and unchanged. Nobody but the receiver can
// say that, and not when it has taken the token.
func TestDiscarded(t *testing.T) {
	later := stamp{4, 1, 9}
	w, token := passedTo(t, id(6))
	w.hear(id(7), later)
	if w.held != nil || w.passed != token {
		t.Errorf("another peer says that it was discarded: it is held %+v, and passed %+v", w.held, w.passed)
	}
	w.hear(id(6), later)
	if w.held != token || w.passed != nil {
		t.Errorf("it was discarded: it is held %+v, and passed %+v", w.held, w.passed)
	}
	w, token = passedTo(t, id(6))
	w.hear(id(6), stamp{3, 7, 52})
	if !w.arrived || w.passed != token {
		t.Errorf("it has come: arrived %v, passed %+v", w.arrived, w.passed)
	}
	w.hear(id(6), later)
	if w.held != nil || w.passed != token {
		t.Errorf("it was taken, and then discarded: it is held %+v, and passed %+v", w.held, w.passed)
	}
	w.hear(id(6), stamp{3, 7, 53})
	if w.passed != token {
		t.Errorf("the receiver itself says that others have it: passed %+v", w.passed)
	}
	w.hear(id(7), stamp{3, 7, 53})
	if w.passed != nil || w.held != nil {
		t.Errorf("it was passed on: it is held %+v, and passed %+v", w.held, w.passed)
	}
}

// TestDiscardedUntilTheLaterComes: two tokens walk. The earlier one is discarded where the later one was, and ends where the later
// one comes to it, so that one is left; if the later one is lost with all that know it, the earlier one still walks.
func TestDiscardedUntilTheLaterComes(t *testing.T) {
	for seed := range uint64(30) {
		for _, dies := range []bool{false, true} {
			x := newTown(t, seed, 10)
			for _, w := range x.all {
				w.Silence = 0
			}
			for range 40 {
				x.period()
			}
			second := stamp{x.latest().generation + 1, 1, 1}
			x.send(9, 8, &token{second, wire.PeerID{}, []float64{1000}}, stamp{})
			for range 3 {
				x.period()
			}
			if dies { // where it is, and was
				for i, w := range x.all {
					if w.seen.generation == second.generation {
						x.dead[i], x.died[i] = true, x.now
					}
				}
				for i, l := range slices.Backward(x.mail) {
					if l.token != nil && l.token.generation == second.generation {
						x.mail = slices.Delete(x.mail, i, i+1)
					}
				}
				if x.tokens() == 0 { // the first one died with it: its sender issues another one
					continue
				}
			}
			for range 300 {
				x.period()
			}
			before := x.latest()
			for range 100 {
				x.period()
			}
			after := x.latest()
			if x.tokens() != 1 || after.steps < before.steps+50 || !dies && after.generation < second.generation {
				t.Errorf("seed %d, the second dies: %v: %d tokens, the latest is %+v and was %+v", seed, dies, x.tokens(), after, before)
			}
		}
	}
}

// TestDiscardedOverARestart: a peer that restarts while its token is elsewhere does not know whom it has passed it to. Its token is
// replaced when it does not arrive, and what it has heard of tokens that were not here is not believed any more than before.
func TestDiscardedOverARestart(t *testing.T) {
	w, token := passedTo(t, id(6))
	w.hear(id(7), stamp{9, 9, 9})
	state, err := w.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
	if err := again.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	again.hear(id(6), stamp{4, 1, 9})
	if again.passed == nil || again.passed.stamp != token.stamp {
		t.Fatalf("it has passed %+v, want %+v", again.passed, token)
	}
	for range 2 * 8 {
		if err := again.countPeriod(); err != nil {
			t.Fatal(err)
		}
	}
	if again.held == nil || again.held.generation <= 4 || fmt.Sprint(again.held.model) != fmt.Sprint(token.model) {
		t.Errorf("it holds %+v, want one of generation 5 with the model of %+v", again.held, token)
	}
	own := *again.held
	if _, err := again.take(id(1), id(5), &own); err != nil || again.held == nil {
		t.Errorf("its own token does not come back: %v", err)
	}
}

// TestAnswersWithWhatWasHere: a peer that takes a token answers with that token, whatever it has heard, so that its sender does not
// pass it to somebody else as well.
func TestAnswersWithWhatWasHere(t *testing.T) {
	list := circle(t, 2)
	later := stamp{generation: 9, steps: 9}
	if err := list[1].Answered(id(0), note(later)); err != nil {
		t.Fatal(err)
	}
	sent := &token{stamp: stamp{generation: 1, nonce: 3, steps: 4}, model: []float64{1}}
	to, got, err := list[1].Receive(list[1].node, id(0), message(sent))
	if want := note(stamp{1, 3, 5}); err != nil || !slices.Equal(to, []wire.PeerID{id(0)}) || !slices.Equal(got.Data, want.Data) {
		t.Errorf("it answers %x to %v (%v), want %x", got.Data, to, err, want.Data)
	}
	if got := state(t, list[1]); !slices.Equal(got, []int64{1, 9, 9}) {
		t.Errorf("the state is %d, want the token, and the generation that was heard of", got)
	}
}

// TestCopyEnds: a later token ends the copy of one that was passed on, so that nobody issues it again; and whoever still waits for
// its receiver to find another peer waits longer.
func TestCopyEnds(t *testing.T) {
	w, _ := passedTo(t, id(6))
	if _, err := w.take(id(1), id(5), &token{stamp{4, 1, 9}, id(4), []float64{2}}); err != nil || w.passed != nil {
		t.Errorf("the copy is %+v (%v)", w.passed, err)
	}
	w, _ = passedTo(t, id(6))
	w.hear(id(6), stamp{3, 7, 52})
	for range 3 * 16 {
		w.hear(id(7), stamp{4, 1, 9})
		if err := w.countPeriod(); err != nil || w.held != nil {
			t.Fatalf("it holds %+v (%v)", w.held, err)
		}
	}
}
