package fedbuff

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// A buffer with a change that is in no version is read by later versions.
func TestStates(t *testing.T) {
	fresh := func() runtime.Component { return &Buffer{Size: 2} }
	statetest.Check(t, "none", fresh(), fresh)
	b := begun(t, fresh().(*Buffer), 1, 2)
	for range 3 {
		add(t, b, 0, 4, 0)
	}
	statetest.Check(t, "buffer", b, fresh)
}
