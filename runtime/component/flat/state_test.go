package flat

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// An index from which a vector was removed is read by later versions: numbers are not given twice.
func TestStates(t *testing.T) {
	fresh := func() runtime.Component { return &Index{} }
	x := &Index{}
	for i := range 3 {
		if _, err := x.Add(vec(float32(i), 2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Remove(3); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "index", x, fresh)
}
