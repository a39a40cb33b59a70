package plan_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestMemory shows how plans use memory, for a model, for a step of its training, or for the first half of a
// split step.
func TestMemory(t *testing.T) {
	golden.Run(t, "testdata/memory_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		var p *plan.Plan
		if a.Has("loss") {
			p, err = stepOf(m, strings.TrimSpace(a.Get("loss")), a.Has("split"))
		} else {
			p, err = planOf(m)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/plan", p.Memory().String())
		checkLives(t, p)
	})
}

// planOf returns the plan of a model.
func planOf(m *ir.Module) (*plan.Plan, error) {
	r, err := bbgen.Compile(m, bbgen.Config{Until: "plan"})
	if err != nil {
		return nil, err
	}
	return r.Plan, nil
}

// stepOf returns the plan of a training step, or of its first half.
func stepOf(m *ir.Module, loss string, split bool) (*plan.Plan, error) {
	momentum, err := train.NewOptimizer("momentum")
	if err != nil {
		return nil, err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Train: &train.Options{Loss: train.Loss{Name: loss}, Optimizer: momentum, Split: split}, Until: "plan"})
	if err != nil {
		return nil, err
	}
	return r.Trainer.Step, nil
}
