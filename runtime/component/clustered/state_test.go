package clustered

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The state of two executions is read by later versions, with clusters of the same size.
func TestAverageState(t *testing.T) {
	a := Average{Clusters: 2, Size: 3}
	for n := range 2 {
		a.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: uint64(n)}, Module: 3})
		for k := range n + 1 {
			if err := a.Contribute(wire.PeerID{}, Update{k, []float32{1, float32(n), 2}}, float32(k+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	statetest.Check(t, "average", &a, func() runtime.Component { return &Average{Clusters: 2, Size: 3} })

	state, _ := a.AppendBinary(nil)
	for _, c := range []struct {
		configured Average
		want       string
	}{
		{Average{Clusters: 1, Size: 3}, "3 elements for model 1, want 3, and a model below 1"},
		{Average{Clusters: 2, Size: 4}, "3 elements for model 0, want 4, and a model below 2"},
	} {
		if err := c.configured.UnmarshalBinary(state); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
