package kademlia

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The table of a peer, its values and results are read by later versions. It has no lookup: one would begin again with
// another number.
func TestStates(t *testing.T) {
	x := newTown(t, 2, 8)
	x.check(x.all[3].Put(word("k"), word("v")))
	x.periods(10)
	x.check(x.all[3].Get(word("k")))
	for len(x.all[3].lookups) > 0 {
		x.periods(1)
	}
	statetest.Check(t, "table", x.all[3], func() runtime.Component { return &Table{K: 6} })
}
