package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
)

// minChained is how many elements are worth a chain: vectors of fewer stay in the
// cache from one call to the next. NB: tests lower it.
var minChained = 4096

// maxOperands is how many operands a chain may have.
const maxOperands = 24

// group is calls that are to be a chain. They run where the last of them stands.
type group struct {
	at      int // which step that is
	members []*Call
	elems   ir.Dim
	row     ir.Dim // elements of a row; 0 while that does not matter
	walks   map[*Var]Walk
	out     map[*Var]bool // what the members write
}

// chains joins elementwise calls of which one reads what the other writes.
func (b *builder) chains() {
	b.users, b.calls = map[*Var]int{}, map[*ir.Node]int{}
	each(b.Steps, func(s Step) {
		if c, ok := s.(*Call); ok {
			b.calls[c.Node]++
		}
		for x := range b.touched(s) {
			b.users[x]++
		}
	}, func(Step) {})
	b.Steps = b.chainedSteps(b.Steps)
}

// touched is what a step reads or writes, apart from making room.
func (b *builder) touched(s Step) map[*Var]bool {
	out := map[*Var]bool{}
	if _, ok := s.(*Grow); !ok {
		b.touches(s, func(x *Var) { out[x] = true })
	}
	return out
}

func (b *builder) chainedSteps(steps []Step) []Step {
	l := &chainList{builder: b, steps: steps, group: make([]*group, len(steps))}
	for i, s := range steps {
		for _, body := range s.bodies() {
			*body = b.chainedSteps(*body)
		}
		if c := b.chained(s); c != nil {
			l.add(i, c)
		}
	}
	return l.joined()
}

// chainList is a list of steps and the groups among them.
type chainList struct {
	*builder
	steps []Step
	group []*group // by step, nil for what is in none
}

// add makes a group of a call, and of those groups that it reads from.
func (l *chainList) add(i int, c *Call) {
	g := l.newGroup(i, c)
	if g == nil {
		return
	}
	l.group[i] = g
	for _, v := range c.Node.In {
		if v == nil || g.walks[l.byValue[v]].Kind != Along {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			h := l.group[k]
			if h != nil && h != g && h.at == k && h.out[l.byValue[v]] && l.mayJoin(h, g) {
				l.join(h, g)
			}
		}
	}
}

// newGroup returns a call alone, nil if its operands do not run along with rows.
func (l *chainList) newGroup(i int, c *Call) *group {
	y := c.Node.Out[0]
	g := &group{at: i, members: []*Call{c}, elems: ir.Size(y.Type.Shape), walks: map[*Var]Walk{}, out: map[*Var]bool{l.byValue[y]: true}}
	fits := true
	eachOperand(*c.Part, func(v *ir.Value) {
		w, row, ok := walkOf(v.Type.Shape, y.Type.Shape)
		switch {
		case v == y:
			w, row, ok = Walk{}, ir.C(0), true
		case slices.Contains(c.Part.Args, any(op.Whole{Value: v})):
			w, row, ok = Walk{Kind: Single}, ir.C(0), true
		}
		fits = fits && ok && g.walk(l.byValue[v], w, row)
	})
	if !fits {
		return nil
	}
	return g
}

// walk notes how an operand runs along. It reports false if that does not go
// together with what is known of it and of the others.
func (g *group) walk(x *Var, w Walk, row ir.Dim) bool {
	if old, ok := g.walks[x]; ok && !old.equal(w) {
		return false
	}
	g.walks[x] = w
	if row.Is(0) {
		return true
	}
	if !g.row.Is(0) && !g.row.Equal(row) {
		return false
	}
	g.row = row
	return w.Kind != PerRow || isConst(w.Each)
}

func (w Walk) equal(v Walk) bool {
	return w.Kind == v.Kind && w.Run == v.Run && w.Each.Equal(v.Each)
}

func (g *group) byRow() bool {
	for _, w := range g.walks {
		if w.Kind == PerRow {
			return true
		}
	}
	return false
}

// long reports whether vectors of n elements are worth a chain.
func long(n ir.Dim) bool {
	k, ok := n.Eval(func(string) (int, bool) { return target.FreeElements, true })
	return ok && k >= minChained
}

func isConst(d ir.Dim) bool { _, ok := d.Const(); return ok }

// chainedElem reports whether parts have places for the elements of v.
func chainedElem(v *ir.Value) bool { n := v.Type.Elem.Size(); return n > 0 && n <= 8 }

// mayJoin reports whether the calls of h can run where g does, as one chain.
func (l *chainList) mayJoin(h, g *group) bool {
	if !h.elems.Equal(g.elems) || len(h.walks)+len(g.walks) > maxOperands {
		return false
	}
	if !h.row.Is(0) && !g.row.Is(0) && !h.row.Equal(g.row) {
		return false
	}
	for x, w := range h.walks {
		if v, ok := g.walks[x]; ok && !v.equal(w) {
			return false
		}
	}
	return l.mayMove(h, g.at)
}

// mayMove reports whether the calls of h can run at a later step: nothing between
// reads what they write or changes what they read. More than one input is not
// kept longer for that.
func (l *chainList) mayMove(h *group, at int) bool {
	passes := false
	for k := h.at + 1; k < at; k++ {
		s := l.steps[k]
		if g := l.group[k]; g != nil {
			if g.at != k {
				continue
			}
			for x := range g.walks {
				if h.out[x] || g.out[x] && h.uses(x) {
					return false
				}
			}
			passes = true
			continue
		}
		if !l.passes(h, s) {
			return false
		}
		if _, ok := s.(*Grow); !ok {
			passes = true
		}
	}
	return !passes || h.inputs() < 2
}

// passes reports whether h can run after a step of no group.
func (l *chainList) passes(h *group, s Step) bool {
	ok := true
	check := func(s Step) {
		l.touches(s, func(x *Var) {
			if h.out[x] || h.uses(x) && l.writes(s, x) {
				ok = false
			}
		})
	}
	if _, grow := s.(*Grow); grow {
		return true
	}
	if bind, is := s.(*Bind); is {
		h.elems.Syms(func(sym string) { ok = ok && !slices.Contains(bind.Syms, sym) })
	}
	each([]Step{s}, check, func(Step) {})
	return ok
}

func (g *group) uses(x *Var) bool { _, ok := g.walks[x]; return ok }

// inputs returns how many vectors of full length come from outside of the group.
func (g *group) inputs() int {
	n := 0
	for x, w := range g.walks {
		if w.Kind == Along && !g.out[x] && x.Place != Constant {
			n++
		}
	}
	return n
}

// join makes h a part of g.
func (l *chainList) join(h, g *group) {
	g.members = append(slices.Clone(h.members), g.members...)
	slices.SortStableFunc(g.members, func(x, y *Call) int { return l.index(x) - l.index(y) })
	for x, w := range h.walks {
		g.walks[x] = w
	}
	for x := range h.out {
		g.out[x] = true
	}
	if g.row.Is(0) {
		g.row = h.row
	}
	for k, o := range l.group {
		if o == h {
			l.group[k] = g
		}
	}
}

func (l *chainList) index(c *Call) int { return slices.Index(l.steps, Step(c)) }

// inside reports whether nobody but the group knows a variable.
func (b *builder) inside(g *group, x *Var) bool {
	if !g.out[x] || x.Place != Arena && x.Place != Slot || b.isOutput(x) {
		return false
	}
	n := 0
	for _, c := range g.members {
		if b.touched(c)[x] {
			n++
		}
	}
	return n == b.users[x]
}

// joined returns the steps, with a chain where the last call of each group of several
// stands.
func (l *chainList) joined() []Step {
	var out []Step
	grows := map[*Var]*Grow{} // of what chains write
	for _, g := range l.group {
		if g != nil && len(g.members) > 1 {
			for x := range g.out {
				grows[x] = nil
			}
		}
	}
	for k, s := range l.steps {
		if grow, ok := s.(*Grow); ok {
			if _, ok := grows[grow.Var]; ok {
				grows[grow.Var] = grow
				continue
			}
		}
		g := l.group[k]
		if g == nil || len(g.members) < 2 {
			out = append(out, s)
			continue
		}
		if g.at != k {
			continue
		}
		c := l.chain(g)
		for _, o := range c.Operands {
			if grow := grows[l.byValue[o.Value]]; grow != nil && o.Written >= 0 {
				out = append(out, grow)
			}
		}
		for _, t := range c.Temps {
			x := l.byValue[t.Value]
			l.Vars = slices.DeleteFunc(l.Vars, func(y *Var) bool { return y == x })
		}
		out = append(out, c)
	}
	return out
}
