package plan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// assignStates finds the states that belong to one parameter each, if the plan is the second half of a split step:
// the states of the optimizer that a step changes together with a parameter, and the average of a parameter.
func (p *Plan) assignStates() {
	if !p.half {
		return
	}
	each(p.Steps, func(s Step) {
		changed := p.statesOf(s, Write|Resize)
		for _, p := range p.statesOf(s, Read|Write|Resize) {
			if p.Kind != ir.Parameter {
				continue
			}
			for _, st := range changed {
				if st.Kind == ir.OptimizerSlot || st.Kind == ir.Average {
					st.Of = p
				}
			}
		}
	}, func(Step) {})
}

// statesOf returns the states that a step itself accesses in one of some ways.
func (p *Plan) statesOf(s Step, how Access) (out []*State) {
	s.operands(p, uses(func(x *Var, a Access) {
		if x.Place == Kept && a&how != 0 {
			out = append(out, p.States[x.Index])
		}
	}))
	return out
}

// Divisible reports whether all steps that update a parameter may run for a part of its elements. The plan is the
// second half of a split step.
func (p *Plan) Divisible(parameter *State) bool {
	all := true
	each(p.Steps, func(s Step) {
		if p.Updates(s) == parameter {
			c, ok := s.(*Call)
			all = all && ok && op.Lookup(c.Node).PerElement
		}
	}, func(Step) {})
	return all
}

// Updates returns the parameter that a step of the second half of a split step changes, itself or by a state that
// belongs to it. It is nil for other steps.
func (p *Plan) Updates(s Step) (parameter *State) {
	if !p.half {
		return nil
	}
	for _, st := range p.statesOf(s, Write|Resize) {
		of := st.Of
		if st.Kind == ir.Parameter {
			of = st
		}
		if of != nil && parameter != nil && of != parameter {
			panic("BUG: a step changes both " + of.Param.Name + " and " + parameter.Param.Name)
		}
		if of != nil {
			parameter = of
		}
	}
	return parameter
}
