package plan

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestRandomGraphs plans random graphs and executes the plans on memory that is
// shared as planned: the results must be those of an evaluation in which every
// value has memory of its own.
func TestRandomGraphs(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		if err := tryGraph(g, m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

func tryGraph(g *randomgraph.Graph, m *ir.Module) error {
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return err
	}
	p, err := Make(m.Main)
	if err != nil {
		return err
	}
	for range 2 {
		in := g.Inputs()
		want, err := eval.Run(m.Main, in)
		if err != nil {
			return err
		}
		got, err := execute(p, in)
		if err != nil {
			return err
		}
		for i := range want {
			if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
				return fmt.Errorf("output %d: %w", i, err)
			}
		}
	}
	return nil
}
