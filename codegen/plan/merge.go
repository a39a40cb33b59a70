package plan

import "slices"

// merged maps variables to those that take their place.
type merged map[*Var]*Var

// find returns the variable in the place of x, which is x itself if it is not merged.
func (m merged) find(x *Var) *Var {
	for m[x] != nil {
		x = m[x]
	}
	return x
}

// merge removes merged variables from a plan. It leaves them in the steps.
func (p *Plan) merge(m merged) {
	for v, x := range p.byValue {
		p.byValue[v] = m.find(x)
	}
	p.Vars = slices.DeleteFunc(p.Vars, func(x *Var) bool { return m[x] != nil })
}
