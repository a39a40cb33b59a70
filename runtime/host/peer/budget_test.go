package peer

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
)

// However few descriptors there are, strangers, pages and values together leave some for the state and for
// members.
func TestBudget(t *testing.T) {
	for _, n := range []uint64{32, 64, 200, 1024, 4096, 1 << 20, 1 << 40} {
		b := budgetOf(&machine.Machine{Descriptors: n})
		if all := uint64(2*b.greetings + b.pages + b.files + b.parallel); all > n*5/8 || b.greetings < 1 || b.pages < 1 || b.files < 1 {
			t.Errorf("of %d descriptors %+v takes %d", n, b, all)
		}
	}
}

// A peer without a place for its payloads waits longer each time, until one of them gets a place.
func TestRest(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	last := int64(0)
	for range 10 {
		h.rest(l, conversation.ErrNoPlace)
		wait := l.restTil - h.now()
		if wait < last/2 || wait > int64(maxRest) || h.resting(l) == nil {
			t.Fatalf("it waits %d ns after %d ns", wait, last)
		}
		last = wait
	}
	if last < int64(maxRest)/2 {
		t.Errorf("after ten times it waits %d ns", last)
	}
	l.rested()
	if h.rest(l, conversation.ErrNoPlace); l.restTil-h.now() > int64(firstRest) {
		t.Error("it waits as if nothing had found its place")
	}
}
