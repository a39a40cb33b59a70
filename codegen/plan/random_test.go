package plan

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestRandomGraphs plans random graphs and executes the plans on memory that is shared as planned. The
// results must be those of an evaluation in which every value has memory of its own.
func TestRandomGraphs(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		if err := tryGraph(g, m, nil); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

func tryGraph(g *randomgraph.Graph, m *ir.Module, to *target.Target) error {
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return err
	}
	for _, make := range []func(*ir.Func, *target.Target) (*Plan, error){Make, Flat} {
		p, err := make(m.Main, to)
		if err != nil {
			return err
		}
		if err := tryPlan(g, m, p); err != nil {
			return err
		}
	}
	return nil
}

func tryPlan(g *randomgraph.Graph, m *ir.Module, p *Plan) error {
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

// A flat plan has neither chains nor repetitions.
func TestFlat(t *testing.T) {
	chained := 0
	for seed := range uint64(50) {
		m := randomgraph.New(seed).Module()
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		p, err := Make(m.Main, nil)
		if err != nil {
			t.Fatal(err)
		}
		chained += parts(p)
		if p, err = Flat(m.Main, nil); err != nil {
			t.Fatal(err)
		}
		if n := parts(p); n != 0 || len(p.Blocks) != 0 {
			t.Errorf("seed %d: the flat plan has %d chains and repetitions", seed, n)
		}
	}
	if chained == 0 {
		t.Error("no graph has a chain otherwise: the test shows nothing")
	}
}

// parts counts chains and repetitions.
func parts(p *Plan) int {
	n := 0
	each(p.Steps, func(s Step) {
		switch s.(type) {
		case *Chain, *Rolled:
			n++
		}
	}, func(Step) {})
	return n
}
