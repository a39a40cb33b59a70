package sampling

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The view of a peer, and the peers that it has given away, are read by later versions.
func TestStates(t *testing.T) {
	w := newWorld(t, 6, 3)
	w.round(t)
	if _, _, err := w.peers[2].Tick(w.nodes[2]); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "shuffle", w.peers[2], func() runtime.Component { return &Shuffle{Class: "a", Size: 3} })
}
