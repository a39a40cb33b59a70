package analytics

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The state of two executions is read by later versions.
func TestSumState(t *testing.T) {
	var s Sum
	for n := range uint64(2) {
		s.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: n}, Module: 3})
		if err := s.Contribute(wire.PeerID{}, tensor.DenseOf([]int32{1, 2, int32(n)}, 3), 1); err != nil {
			t.Fatal(err)
		}
	}
	statetest.Check(t, "sum", &s, func() runtime.Component { return &Sum{} })
}
