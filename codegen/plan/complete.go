package plan

import "github.com/bbgen/bbgen/ir"

// Complete lists, for each of the plan's steps, the gradients that no later step uses, by their number among
// the states that are gradients.
func (p *Plan) Complete() [][]int {
	last := map[*Var]int{}
	for i := range p.Steps {
		each(p.Steps[i:i+1], func(s Step) { p.Touches(s, func(x *Var) { last[x] = i }) }, func(Step) {})
	}
	done := make([][]int, len(p.Steps))
	number := 0
	for _, s := range p.States {
		if s.Kind != ir.Gradient {
			continue
		}
		if i, ok := last[s.Var]; ok {
			done[i] = append(done[i], number)
		}
		number++
	}
	return done
}
