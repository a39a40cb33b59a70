package selection

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// What is known of peers is read by later versions.
func TestStates(t *testing.T) {
	s := &Selector{known: []record{{peer: id(3), asked: 7, answered: 5, since: 90, loss: 0.5, took: 2}, {peer: id(4), asked: 1}}}
	statetest.Check(t, "selector", s, func() runtime.Component { return &Selector{} })
}
