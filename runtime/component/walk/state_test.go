package walk

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// A peer that holds the token, and one that has passed it on, are read by later versions.
func TestStates(t *testing.T) {
	x := newTown(t, 2, 3)
	for range 7 {
		x.period()
	}
	for i, name := range []string{"first", "second", "third"} {
		statetest.Check(t, name, x.all[i], func() runtime.Component { return &Walk{} })
	}
}
