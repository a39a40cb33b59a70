package plan

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
)

// minChained is the smallest number of elements for a chain: shorter vectors stay in the cache between calls.
// NB: tests lower it.
var minChained = 4096

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

// chains groups elementwise calls that read each other's results.
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

// touched returns the variables that a step reads or writes, except by making room.
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

// chainList is a list of steps with their groups.
type chainList struct {
	*builder
	steps []Step
	group []*group // by step; nil for a step without a group
}

// add makes a group of a call and the groups that compute its operands.
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

// newGroup returns a group of one call, or nil if its operands do not match rows.
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
func long(n ir.Dim) bool {
	k, ok := n.Eval(func(string) (int, bool) { return target.FreeElements, true })
	return ok && k >= minChained
}

func isConst(d ir.Dim) bool { _, ok := d.Const(); return ok }

// chainedElem reports whether parts can hold the elements of v.
func chainedElem(v *ir.Value) bool { n := v.Type.Elem.Size(); return n > 0 && n <= 8 }

// mayJoin reports whether the calls of h can run at the position of g, as one chain.
func (l *chainList) mayJoin(h, g *group) bool {
	if !h.elems.Equal(g.elems) || len(h.walks)+len(g.walks) > maxOperands {
		return false
	}
	if _, _, _, ok := commonWalks(h.row, g.row, h.walks, g.walks); !ok {
		return false
	}
	return l.mayMove(h, g.at)
}

// mayMove reports whether the calls of h can run at a later step. No step in between may read their results
// or change their operands, and at most one input may live longer as a consequence.
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

// passes reports whether h can run after a step outside of any group.
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

// join merges h into g.
func (l *chainList) join(h, g *group) {
	g.members = append(slices.Clone(h.members), g.members...)
	slices.SortStableFunc(g.members, func(x, y *Call) int { return l.index(x) - l.index(y) })
	row, walks, more, _ := commonWalks(h.row, g.row, h.walks, g.walks)
	maps.Copy(walks, more)
	g.row, g.walks = row, walks
	maps.Copy(g.out, h.out)
	for k, o := range l.group {
		if o == h {
			l.group[k] = g
		}
	}
}

func (l *chainList) index(c *Call) int { return slices.Index(l.steps, Step(c)) }

// inside reports whether a variable is used only within the group.
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

// joined returns the steps with chains in place of groups of several calls.
func (l *chainList) joined() []Step {
	var out []Step
	grows := map[*Var]*Grow{} // of variables that chains write
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
