package plan

import "slices"

// matching maps each variable of the first repetition to those of the others.
type matching struct {
	twins    map[*Var][]*Var // by repetition
	params   []*Var
	consts   []*Var
	internal []*Var
}

// classify matches the variables of the repetitions. It returns nil if a variable has two counterparts in one
// of them.
func (p *Plan) classify(steps []Step, r repeat) *matching {
	m := &matching{twins: map[*Var][]*Var{}}
	var order []*Var
	for k := range r.count {
		for i := range r.period {
			first, mine := p.varsOf(steps[i]), p.varsOf(steps[k*r.period+i])
			for j, x := range first {
				if k == 0 {
					if m.twins[x] == nil {
						m.twins[x] = []*Var{x}
						order = append(order, x)
					}
					continue
				}
				switch t := m.twins[x]; {
				case len(t) == k:
					m.twins[x] = append(t, mine[j])
				case t[k] != mine[j]:
					return nil
				}
			}
		}
	}
	inside := p.onlyInside(steps, r)
	for _, x := range order {
		t := m.twins[x]
		same := !slices.ContainsFunc(t, func(y *Var) bool { return y != x })
		switch {
		case same && x.Place != Input && x.Place != Output: // a block can refer to it directly
		case x.Place == Constant:
			m.consts = append(m.consts, x)
		case sameHome(t, inside):
			m.internal = append(m.internal, x)
		default:
			m.params = append(m.params, x)
		}
	}
	return m
}

// sameHome reports whether each of the variables is used in one repetition only and all of them could share
// memory.
func sameHome(t []*Var, inside map[*Var]bool) bool {
	for _, y := range t {
		if !inside[y] || y.Place != t[0].Place || y.Place != Arena && y.Place != Slot {
			return false
		}
	}
	return true
}

// onlyInside returns the variables that only one repetition uses.
func (p *Plan) onlyInside(steps []Step, r repeat) map[*Var]bool {
	owner := map[*Var]int{}
	in := map[Step]int{}
	for i, s := range steps {
		in[s] = i/r.period + 1
	}
	each(p.Steps, func(s Step) {
		p.Touches(s, func(x *Var) {
			if k, ok := owner[x]; !ok {
				owner[x] = in[s]
			} else if k != in[s] {
				owner[x] = 0
			}
		})
	}, func(Step) {})
	out := map[*Var]bool{}
	for x, k := range owner {
		out[x] = k > 0 && !p.isOutput(x)
	}
	return out
}

// varsOf returns the variables that a step uses, in order.
func (p *Plan) varsOf(s Step) []*Var {
	var out []*Var
	p.Touches(s, func(x *Var) { out = append(out, x) })
	return out
}
