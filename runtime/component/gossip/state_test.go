package gossip

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The share of a peer is read by later versions.
func TestStates(t *testing.T) {
	fresh := func() runtime.Component { return &PushSum{Size: 2, Epochs: 3} }
	p := crowd(t, 3, 3)[2]
	p.takeHalf()
	statetest.Check(t, "pushsum", p, fresh)
	if err := (&PushSum{Size: 3}).UnmarshalBinary(nil); err == nil {
		t.Error("nothing is a state")
	}
}
