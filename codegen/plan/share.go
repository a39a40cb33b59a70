package plan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// share lets an operator write its output over an input that is no longer used.
func (p *Plan) share() {
	m := merged{}
	calls, at := p.positions()
	try := func(y, x *ir.Value, s Step, room int) bool {
		into, from := m.find(p.byValue[x]), m.find(p.byValue[y])
		if into == from || !mayReplace(into, from, at[s], room) {
			return false
		}
		into.extend(from.to())
		m[from] = into
		return true
	}
	each(p.Steps, func(s Step) {
		switch s := s.(type) {
		case *Call:
			if calls[s.Node] != 1 || s.Checks() || s.Node.Res(0) == nil {
				return
			}
			for _, v := range op.Overwritable(s.Node) {
				if v != nil && v.Const == nil && p.byValue[v] != nil && try(s.Node.Out[0], v, s, 1) {
					return
				}
			}
		case *Chain:
			s.replacements(func(y, x *ir.Value) bool { return try(y, x, s, len(s.Operands)) })
		case *Grow, *Copy, *Bind, *Clear, *Append, *Row, *If, *Loop, *Scan, *Rolled: // they compute no output of a node
		default:
			unknown(s)
		}
	}, func(Step) {})
	p.merge(m)
	p.Steps = p.redirect(p.Steps, m)
}

// positions returns the number of calls of each node, and the position of each step as [Plan.findLives] counts them.
func (p *Plan) positions() (calls map[*ir.Node]int, at map[Step]int) {
	calls, at = map[*ir.Node]int{}, map[Step]int{}
	pos := 0
	each(p.Steps, func(s Step) {
		pos++
		at[s] = pos
		if c, ok := s.(*Call); ok {
			calls[c.Node]++
		}
	}, func(Step) { pos++ })
	return calls, at
}

// mayReplace reports whether y, defined at step at, may take the place of x. At most room steps before it
// make room for the results.
func mayReplace(x, y *Var, at, room int) bool {
	return x.Place == y.Place && (x.Place == Arena || x.Place == Slot) &&
		x.to() == at && y.from() >= at-room && x.from() < y.from() &&
		x.Type.Elem == y.Type.Elem && x.Len.Equal(y.Len)
}

// redirect replaces merged variables in steps, and removes the steps that grow them.
func (p *Plan) redirect(steps []Step, m merged) []Step {
	var out []Step
	for _, s := range steps {
		if g, ok := s.(*Grow); ok && m[g.Var] != nil {
			continue
		}
		s.operands(p, renaming(m.find))
		for _, body := range s.bodies() {
			*body = p.redirect(*body, m)
		}
		out = append(out, s)
	}
	return out
}
