package walk

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// TestLargestCounts: what a message may contain leads to no state that cannot be read again.
func TestLargestCounts(t *testing.T) {
	trained := newTown(t, 2, 3).all[1]
	from, _ := wire.PeerIDOf(make([]byte, 32))
	if _, err := trained.take(wire.PeerID{}, from, &token{stamp: stamp{maxCount, 1, maxCount}, model: []float64{1}}); err != nil {
		t.Fatal(err)
	}
	issued := newTown(t, 2, 3).all[1]
	issued.observe(stamp{maxCount, 1, 1})
	issued.issue(&token{})
	for name, w := range map[string]*Walk{"trained": trained, "issued": issued} {
		state, err := w.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Walk).UnmarshalBinary(state); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
