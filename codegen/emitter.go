package codegen

import (
	"slices"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitter prints one plan.
type emitter struct {
	*names
	m      *ir.Module
	opt    Options
	chain  *chainType  // of the chain whose calls are being printed, if any
	within *blockNames // of the block whose steps are being printed, if any
	named  *ir.Node    // the node that the last call belongs to
	marks  *marks      // of the run that tells a profile; nil for the plain one
	loops  int         // how many loops the statement at hand is in
	sites  []*site     // the calls that have been printed
	trains bool        // it is a part of a trainer, and has its state
	tells  bool        // the run says which gradients are complete
	cut    *plan.State // the parameter of which the printed steps update a part; nil: they do not
	base   int         // where the plan's weights begin in weights.bin
}

func newEmitter(m *ir.Module, p *plan.Plan, opt Options) *emitter { return newPart(m, p, opt, "", nil) }

// newPart is [newEmitter] for one of several graphs in a package.
func newPart(m *ir.Module, p *plan.Plan, opt Options, part string, rate *plan.Port) *emitter {
	return &emitter{names: newNames(p, part, rate), m: m, opt: opt}
}

// hasArena reports whether any value is in the arena, which may be empty.
func (e *emitter) hasArena() bool {
	return slices.ContainsFunc(e.p.Vars, func(x *plan.Var) bool { return x.Place == plan.Arena })
}

// contextVars returns the variables in the context, in the order of their definition.
func (e *emitter) contextVars() []*plan.Var {
	var out []*plan.Var
	for _, x := range e.p.Vars {
		if x.Place != plan.Output {
			out = append(out, x)
		}
	}
	return out
}

// portTypes returns the names of the types of a run's inputs and outputs.
func (e *emitter) portTypes() (in, out string) {
	switch {
	case e.part == "":
		return "Inputs", "Outputs"
	case !e.trains:
		return e.name("inputs"), e.name("outputs")
	case e.part == "step":
		return "Batch", "results"
	}
	return "Batch", "Outputs"
}
