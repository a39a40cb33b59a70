package differ

import (
	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Passes compares the evaluation of a model with that of its optimized graph. It returns the number of
// compared runs: a run does not count if the model itself fails, for example because sizes do not match.
func Passes(m *randomgraph.Model) (compared int, f *Failure) {
	c, f := check(m)
	return len(c.sets), f
}

// checked is a model whose passes succeeded, with the expected results of its code.
type checked struct {
	model     *randomgraph.Model
	plain     *ir.Module
	optimized *ir.Module
	plan      *plan.Plan
	sets      []set
}

// optimize runs all passes on the model, and plans it.
func (c *checked) optimize() error {
	c.optimized = c.model.Module.Clone()
	return guarded(func() error {
		r, err := bbgen.Compile(c.optimized, bbgen.Config{Until: "plan"})
		if err == nil {
			c.plan = r.Plan
		}
		return err
	})
}

// set is the inputs of a run and its results by the original and by the optimized graph.
type set struct {
	run                 int
	in, want, optimized []tensor.Value
}

// runs reports whether one of the model's runs succeeds, or panics.
func runs(m *randomgraph.Model, plain *ir.Module) bool {
	for run := range m.Runs {
		if _, err := evaluate(plain, m.Inputs(run)); err == nil || isPanic(err) {
			return true
		}
	}
	return false
}

func check(m *randomgraph.Model) (*checked, *Failure) {
	c := &checked{model: m}
	fail := func(s Stage, run int, err error) (*checked, *Failure) { return c, &Failure{m, s, run, err} }
	p, err := plain(m.Module)
	if isPanic(err) {
		return fail(Passing, -1, err)
	}
	err2 := c.optimize()
	switch {
	case isPanic(err2):
		return fail(Passing, -1, err2)
	case err != nil:
		return c, nil // bbgen rejects the model with an error
	case err2 != nil && runs(m, p):
		return fail(Passing, -1, err2)
	case err2 != nil:
		return c, nil // and so it rejects one that never runs, as its constants show
	}
	c.plain = p
	for run := range m.Runs {
		in := m.Inputs(run)
		want, err := evaluate(p, in)
		if isPanic(err) {
			return fail(Evaluating, run, err)
		}
		if err != nil {
			continue
		}
		got, err := evaluate(c.optimized, in)
		if err != nil {
			return fail(Passing, run, err)
		}
		if err := agrees(p, in, got, want); err != nil {
			return fail(Optimized, run, err)
		}
		c.sets = append(c.sets, set{run, in, want, got})
	}
	return c, nil
}
