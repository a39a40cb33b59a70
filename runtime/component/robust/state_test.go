package robust_test

import (
	"context"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The state of two executions is read by later versions, with the shape that the model has had.
func TestContributionsState(t *testing.T) {
	var c robust.Contributions
	c.Expect([]int{2})
	for n := range 2 {
		c.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: uint64(n)}, Module: 3})
		for i := range n + 1 {
			if err := c.Contribute(context.Background(), peer(i), vector(1, float32(n)), float32(i+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	statetest.Check(t, "contributions", &c, func() runtime.Component { return &robust.Contributions{} })
}
