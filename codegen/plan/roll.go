package plan

// roll replaces repeated lists of steps by blocks.
func (p *Plan) roll() {
	r := newRoller(p)
	r.replace(0, len(p.Steps), repetitions(r.tokens(), p.target.Limits.Rolled))
	p.merge(r.same)
	each(r.out, func(s Step) {
		if c, ok := s.(*Rolled); ok {
			for _, s := range c.Steps {
				s.operands(p, renaming(r.same.find))
			}
		}
	}, func(Step) {})
	p.Steps = r.out
}

// roller replaces the repetitions among the steps of a plan.
type roller struct {
	*Plan
	uses    [][]*Var     // by step: the variables that it uses itself, in order
	total   map[*Var]int // number of uses in all steps, with those in bodies
	outputs map[*Var]bool
	same    merged // variables of later repetitions, which share those of the first
	out     []Step // the steps with blocks in them, so far
}

func newRoller(p *Plan) *roller {
	r := &roller{Plan: p, total: map[*Var]int{}, outputs: p.outputVars(), same: merged{}}
	for _, s := range p.Steps {
		r.uses = append(r.uses, p.varsOf(s))
	}
	each(p.Steps, func(s Step) { p.Touches(s, func(x *Var) { r.total[x]++ }) }, func(Step) {})
	return r
}

// replace adds the steps from one position to another to the result. It replaces the repetition that saves most of them,
// and then the others on both sides.
func (r *roller) replace(from, to int, all []periodic) {
	here, best := within(all, from, to, r.target.Limits.Rolled)
	if best.saved() < r.target.Limits.Rolled {
		r.out = append(r.out, r.Steps[from:to]...)
		return
	}
	best = r.align(best)
	m := r.classify(best)
	if m == nil {
		r.out = append(r.out, r.Steps[from:to]...)
		return
	}
	calls := r.makeBlock(best, m)
	r.replace(from, best.start, here)
	r.out = append(r.out, calls...)
	r.replace(best.end(), to, here)
}

// align shifts a repetition to the position with the fewest operands between its parts. No repetition of as many parts
// begins later, so that a shift loses one.
func (r *roller) align(first repeat) repeat {
	best, fewest := first, -1
	for shift := range first.period {
		s := repeat{first.start + shift, first.period, first.count}
		if shift > 0 {
			s.count--
		}
		if s.count < 2 {
			break
		}
		m := r.classify(s)
		if m == nil {
			continue
		}
		// Losing one repetition is worthwhile only for a clearly better cut.
		cost := len(m.params) + 2*(first.count-s.count)
		if fewest < 0 || cost < fewest {
			best, fewest = s, cost
		}
	}
	return best
}

// makeBlock makes a block of a repetition, and returns the calls that replace its steps.
func (r *roller) makeBlock(at repeat, m *matching) []Step {
	steps := r.Steps[at.start:at.end()]
	block := &Block{Steps: steps[:at.period], Params: m.params, Consts: m.consts, Locals: m.internal, Count: at.count}
	r.Blocks = append(r.Blocks, block)
	for _, x := range m.internal {
		x.repeated = true
		for _, y := range m.twins[x][1:] {
			r.same[y] = x
		}
	}
	var calls []Step
	for k := range at.count {
		call := &Rolled{Block: block, Index: k}
		for _, x := range m.params {
			call.Args = append(call.Args, m.twins[x][k])
		}
		var ws []*Weight
		for _, x := range m.consts {
			ws = append(ws, r.Weights[m.twins[x][k].Index])
		}
		block.Weights = append(block.Weights, ws)
		call.Steps = steps[k*at.period : (k+1)*at.period]
		calls = append(calls, call)
	}
	return calls
}
