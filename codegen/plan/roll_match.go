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
func (r *roller) classify(at repeat) *matching {
	m := &matching{twins: map[*Var][]*Var{}}
	var order []*Var
	inside := map[*Var]bool{} // the variables that only one repetition uses
	for k := range at.count {
		uses := map[*Var]int{}
		for i := range at.period {
			first, mine := r.uses[at.start+i], r.uses[at.start+k*at.period+i]
			for j, x := range first {
				uses[mine[j]]++
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
		for x, n := range uses {
			if n == r.total[x] && !r.outputs[x] {
				inside[x] = true
			}
		}
	}
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

// varsOf returns the variables that a step uses, in order.
func (p *Plan) varsOf(s Step) []*Var {
	var out []*Var
	p.Touches(s, func(x *Var) { out = append(out, x) })
	return out
}
