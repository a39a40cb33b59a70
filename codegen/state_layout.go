package codegen

import "github.com/bbgen/bbgen/codegen/plan"

// stateLayout is where the states of a trainer are, and their initial values. The states that belong to a parameter
// have memory of their own, as a trainer may keep those of some parameters only.
type stateLayout struct {
	owner   map[string]string   // the parameter to which a state belongs, by name
	off     map[*plan.State]int // byte offset in the common memory; of states that belong to a parameter: in the initial values
	memory  int                 // bytes of the common memory
	filled  int                 // bytes of the initial values of that
	initial int                 // bytes of all initial values
}

// layOut places the states of a step. The update is its second half, or nil.
func layOut(step, update *plan.Plan) *stateLayout {
	l := &stateLayout{owner: map[string]string{}, off: map[*plan.State]int{}}
	if update != nil {
		for _, s := range update.States {
			if s.Of != nil {
				l.owner[s.Param.Name] = s.Of.Param.Name
			}
		}
	}
	for _, s := range step.States {
		if l.owner[s.Param.Name] != "" {
			continue
		}
		l.off[s] = l.memory
		if l.memory += s.Bytes(); s.Init != nil {
			l.filled = l.memory
		}
	}
	l.initial = l.filled
	for _, s := range step.States {
		if l.owner[s.Param.Name] != "" && s.Init != nil {
			l.off[s] = l.initial
			l.initial += s.Bytes()
		}
	}
	return l
}

// aligned returns n rounded up to the alignment of constants.
func aligned(n int) int { return (n + 63) / 64 * 64 }
