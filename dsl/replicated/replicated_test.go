package replicated_test

import (
	"testing"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/replicated"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/component/sampling"
)

// server adds one in each round.
type server struct{ Log replicated.Log }

func (server) Class() string { return "server" }

func (s server) Body(g *dsl.Graph) {
	number, x := s.Log.Rounds(g, 5, g.Const([]float32{0}))
	s.Log.Decide(g, number, g.Add(x, g.Scalar(x, 1)))
	round, outcome := s.Log.Decided(g)
	g.Output("leader", s.Log.Leader(g, round))
	g.Output("outcome", outcome)
}

// TestRecord shows the work of servers in each period, and that for a waiting message. It does not depend on
// the component in the slot.
func TestRecord(t *testing.T) {
	golden.Run(t, "testdata/record.txtar", func(t *testing.T, a *golden.Archive) {
		log := replicated.New(dsl.Go(sampling.Shuffle{}), dsl.Uint8(dsl.Any), time.Second)
		m, err := dsl.Record(dsl.Program{Name: "adding", Modules: []dsl.Module{server{log}}})
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/record", ir.Print(m))
	})
}
