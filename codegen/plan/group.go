package plan

import "github.com/bbgen/bbgen/ir"

// maxOperands is the largest number of operands of a chain.
const maxOperands = 24

// group is a set of calls that will become a chain. They run at the position of the last one.
type group struct {
	at      int // index of the last step
	members []*Call
	elems   ir.Dim
	row     ir.Dim // elements of a row; 0 while any size is possible
	walks   map[*Var]Walk
	out     map[*Var]bool // the variables that the members write
}

// touched returns the variables that a step reads or writes, except by making room.
func (p *Plan) touched(s Step) map[*Var]bool {
	out := map[*Var]bool{}
	s.operands(p, uses(func(x *Var, a Access) {
		if a != Resize {
			out[x] = true
		}
	}))
	return out
}

// walk records how an operand is traversed. It returns false if that is incompatible with the group.
func (g *group) walk(x *Var, w Walk, row ir.Dim) bool {
	row, walks, more, ok := commonWalks(g.row, row, g.walks, map[*Var]Walk{x: w})
	if !ok {
		return false
	}
	g.row, g.walks, w = row, walks, more[x]
	g.walks[x] = w
	return w.Kind != PerRow || isConst(w.Each)
}

func (g *group) byRow() bool {
	for _, w := range g.walks {
		if w.Kind == PerRow {
			return true
		}
	}
	return false
}

// long reports whether vectors of n elements are long enough for a chain.
func (p *Plan) long(n ir.Dim) bool {
	if s, free := n.Symbol(); free && p.longVectors[s] {
		return true
	}
	k, ok := n.Eval(func(string) (int, bool) { return p.target.Free.Elements, true })
	return ok && k >= p.target.Chained()
}

func isConst(d ir.Dim) bool { _, ok := d.Const(); return ok }

// chainedElem reports whether parts can hold the elements of v.
func chainedElem(v *ir.Value) bool { n := v.Type.Elem.Size(); return n > 0 && n <= 8 }

func (g *group) uses(x *Var) bool { _, ok := g.walks[x]; return ok }

// inputs returns the number of vectors of full length that the group reads from outside.
func (g *group) inputs() int {
	n := 0
	for x, w := range g.walks {
		if w.Kind == Along && !g.out[x] && x.Place != Constant {
			n++
		}
	}
	return n
}

// inside reports whether a variable is used only within the group.
func (c *chainer) inside(g *group, x *Var) bool {
	if !g.out[x] || x.Place != Arena && x.Place != Slot || c.outputs[x] {
		return false
	}
	n := 0
	for _, call := range g.members {
		if c.touched(call)[x] {
			n++
		}
	}
	return n == c.users[x]
}
