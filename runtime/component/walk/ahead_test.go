package walk

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumbersAreNotUsedUp: a stamp that is far ahead is refused and changes nothing, so that the tokens that a peer issues or trains
// afterwards are ones that others take.
func TestNumbersAreNotUsedUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	w, other := newPeer(t, r, 0), newPeer(t, r, 1)
	if err := w.countPeriod(); err != nil {
		t.Fatal(err)
	}
	for _, far := range []uint64{maxAhead + 3, 1 << 61, maxCount - 1, maxCount, maxCount + 1, math.MaxUint64} {
		for _, s := range []stamp{{far, 1, 1}, {1, math.MaxUint64, far}, {far, far, far}} {
			before := w.latest
			if err := w.Answered(id(1), note(s)); err == nil || w.latest != before || w.held == nil {
				t.Errorf("stamp %v after %v: %v", s, before, err)
			}
		}
	}
	for range 1000 { // as far as it goes
		s := stamp{w.latest.generation + maxAhead, math.MaxUint64, w.latest.steps + maxAhead}
		if err := w.Answered(id(1), note(s)); err != nil {
			t.Fatal(err)
		}
		w.issue(&token{stamp: s, model: []float64{1}})
		if err := w.held.check(w.latest); err != nil {
			t.Fatalf("its own token %v: %v", w.held.stamp, err)
		}
		if err := w.held.check(s); err != nil { // of those that have heard the same
			t.Fatalf("others refuse %v after %v: %v", w.held.stamp, s, err)
		}
	}
	if w.latest.generation > maxCount>>16 {
		t.Errorf("a thousand messages lead to generation %d", w.latest.generation)
	}
	other.latest = w.latest
	if _, err := other.take(id(1), id(0), w.held); err != nil || other.held == nil {
		t.Errorf("the token is not taken: %v", err)
	}
}

// TestStampsAreOrdered: the order of stamps is total: one of two different ones is later, and later ones of later ones are later.
func TestStampsAreOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	pick := func() stamp {
		n := func() uint64 { return []uint64{0, 1, 2, 1 << 32, maxCount, math.MaxUint64}[r.IntN(6)] }
		return stamp{n(), n(), n()}
	}
	for range 20_000 {
		a, b, c := pick(), pick(), pick()
		if a != b && a.after(b) == b.after(a) || a.after(a) || a.after(b) && b.after(c) && !a.after(c) {
			t.Fatalf("no order: %v, %v, %v", a, b, c)
		}
	}
}
