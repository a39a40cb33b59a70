package fedavg

import (
	"context"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The state of two executions is read by later versions. In the second, contributions have two shapes.
func TestAverageState(t *testing.T) {
	var a Average
	for n := range uint64(2) {
		a.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: n}, Module: 3})
		for _, x := range [][]float32{{1, 2}, {3, 4}, {5}}[:n+2] {
			if err := a.Contribute(context.Background(), wire.PeerID{}, vector(x...), float32(n+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	statetest.Check(t, "average", &a, func() runtime.Component { return &Average{} })
	a.Leave(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: 1}, Module: 3})
	a.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: 0}, Module: 3})
	if mean, err := a.Aggregate(context.Background()); err != nil || mean.Data[0] != 2 || mean.Data[1] != 3 {
		t.Errorf("the mean of the first execution is %v, %v; want 2 and 3", mean.Data, err)
	}
	a.Expect([]int{2})
	a.Enter(runtime.Round{})
	statetest.Check(t, "shape", &a, func() runtime.Component { return &Average{} })
}
