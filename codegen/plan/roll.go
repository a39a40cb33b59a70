package plan

import "slices"

// minRolled is the smallest number of steps that a block must save.
const minRolled = 12

// roll replaces repeated lists of steps by blocks.
func (p *Plan) roll() {
	p.Steps = p.rolled(p.Steps)
}

func (p *Plan) rolled(steps []Step) []Step {
	r, ok := p.bestRepeat(steps)
	if !ok {
		return steps
	}
	block, calls := p.makeBlock(steps[r.start:r.end()], r)
	if block == nil {
		return steps
	}
	p.Blocks = append(p.Blocks, block)
	out := p.rolled(steps[:r.start])
	out = append(slices.Clone(out), calls...)
	return append(out, p.rolled(steps[r.end():])...)
}

// repeat is a sequence of count lists of period steps.
type repeat struct{ start, period, count int }

func (r repeat) end() int { return r.start + r.period*r.count }

func (r repeat) saved() int { return r.period * (r.count - 1) }

// bestRepeat returns the repetition that saves the most steps, and among those the one with the fewest
// operands.
func (p *Plan) bestRepeat(steps []Step) (repeat, bool) {
	tokens := make([]string, len(steps))
	for i, s := range steps {
		tokens[i] = p.token(s)
	}
	var best repeat
	for period := 2; period <= len(steps)/2; period++ {
		run := 0
		for i := len(steps) - period - 1; i >= 0; i-- {
			if tokens[i] == "" || tokens[i] != tokens[i+period] {
				run = 0
				continue
			}
			run++
			if r := (repeat{i, period, run/period + 1}); r.count > 1 && r.saved() > best.saved() {
				best = r
			}
		}
	}
	if best.saved() < minRolled {
		return best, false
	}
	return p.align(steps, tokens, best), true
}

// align shifts a repetition to the position with the fewest operands between its parts.
func (p *Plan) align(steps []Step, tokens []string, r repeat) repeat {
	best, fewest := r, -1
	for shift := range r.period {
		s := repeat{r.start + shift, r.period, r.count}
		if s.end() > len(steps) || !repeats(tokens[s.start:s.end()], r.period) {
			s.count--
		}
		if s.count < 2 || s.saved() < r.saved()-r.period {
			continue
		}
		m := p.classify(steps[s.start:s.end()], s)
		if m == nil {
			continue
		}
		// Losing one repetition is worthwhile only for a clearly better cut.
		cost := len(m.params) + 2*(r.count-s.count)
		if fewest < 0 || cost < fewest {
			best, fewest = s, cost
		}
	}
	return best
}

func repeats(tokens []string, period int) bool {
	for i := period; i < len(tokens); i++ {
		if tokens[i] != tokens[i-period] {
			return false
		}
	}
	return true
}

// makeBlock makes a block of a repetition, and the calls that replace its steps.
func (p *Plan) makeBlock(steps []Step, r repeat) (*Block, []Step) {
	m := p.classify(steps, r)
	if m == nil {
		return nil, nil
	}
	block := &Block{Steps: steps[:r.period], Params: m.params, Consts: m.consts, Locals: m.internal, Count: r.count}
	same := merged{}
	for _, x := range m.internal {
		x.repeated = true
		for _, y := range m.twins[x][1:] {
			same[y] = x
		}
	}
	var calls []Step
	for k := range r.count {
		call := &Rolled{Block: block, Index: k}
		for _, x := range m.params {
			call.Args = append(call.Args, m.twins[x][k])
		}
		var ws []*Weight
		for _, x := range m.consts {
			ws = append(ws, p.Weights[m.twins[x][k].Index])
		}
		block.Weights = append(block.Weights, ws)
		call.Steps = steps[k*r.period : (k+1)*r.period]
		calls = append(calls, call)
	}
	p.merge(same)
	for _, c := range calls {
		for _, s := range c.(*Rolled).Steps {
			s.operands(p, renaming(same.find))
		}
	}
	return block, calls
}
