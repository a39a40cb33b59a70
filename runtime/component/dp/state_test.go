package dp

import (
	"context"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The state of two executions is read by later versions, with an adaptive clip, and without the noise of a restored peer
// being drawn twice.
func TestAverageState(t *testing.T) {
	fresh := func() runtime.Component { return opened(t, &Average{Clip: 4, Noise: 0.5, Quantile: 0.5}) }
	a := fresh().(*Average)
	contribute := func(n uint64) {
		a.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: n}, Module: 3})
		if err := a.Contribute(context.Background(), peer(1), values.LargeOf(tensor.DenseOf([]float32{1, 2}, 2)), 1); err != nil {
			t.Fatal(err)
		}
	}
	contribute(1)
	if _, err := a.Aggregate(context.Background()); err != nil {
		t.Fatal(err)
	}
	contribute(2)
	contribute(3)
	statetest.Check(t, "average", a, fresh)
}
