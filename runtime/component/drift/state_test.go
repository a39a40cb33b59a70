package drift

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The vector that a peer keeps is read by later versions, and so is that there is none.
func TestStates(t *testing.T) {
	fresh := func() runtime.Component { return &Scaffold{Rate: 0.5} }
	s := fresh().(*Scaffold)
	statetest.Check(t, "none", s, fresh)
	if _, err := s.Renew(vec(1, 2), vec(0, 4), vec(0, 0), 2); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "scaffold", s, fresh)
}
