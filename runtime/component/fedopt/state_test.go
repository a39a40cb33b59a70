package fedopt

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The moments of a server are read by later versions, and so is that there are none.
func TestStates(t *testing.T) {
	fresh := func() runtime.Component { return &Adam{} }
	o := fresh().(*Adam)
	statetest.Check(t, "none", o, fresh)
	if _, err := o.Step(vector(1, 2), vector(3, 1)); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "adam", o, fresh)
}
