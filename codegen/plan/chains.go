package plan

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// addChains replaces elementwise calls that read each other's results by chains.
func (p *Plan) addChains() {
	c := &chainer{Plan: p, calls: map[*ir.Node]int{}, users: map[*Var]int{}, outputs: p.outputVars()}
	each(p.Steps, func(s Step) {
		if call, ok := s.(*Call); ok {
			c.calls[call.Node]++
		}
		for x := range p.touched(s) {
			c.users[x]++
		}
	}, func(Step) {})
	p.Steps = c.chained(p.Steps)
}

// chainer finds the chains of a plan.
type chainer struct {
	*Plan
	calls map[*ir.Node]int // number of calls of a node
	users map[*Var]int     // number of steps that read or write a variable

	outputs map[*Var]bool
}

// chained returns steps with chains in them and in their bodies.
func (c *chainer) chained(steps []Step) []Step {
	l := &chainList{chainer: c, steps: steps, group: make([]*group, len(steps)), index: map[*Call]int{}, writers: map[*Var][]int{}}
	for i, s := range steps {
		for _, body := range s.bodies() {
			*body = c.chained(*body)
		}
		if call := c.elementwise(s); call != nil {
			l.add(i, call)
		}
	}
	return l.joined()
}

// chainList is a list of steps with their groups.
type chainList struct {
	*chainer
	steps []Step
	group []*group // by step; nil for a step without a group

	index   map[*Call]int  // the steps of the members of groups
	writers map[*Var][]int // the last steps of groups that write a variable, and also those of groups that have been joined
}

// add makes a group of a call and the groups that compute its operands.
func (l *chainList) add(i int, c *Call) {
	g := l.newGroup(i, c)
	if g == nil {
		return
	}
	l.group[i], l.index[c] = g, i
	for x := range g.out {
		l.writers[x] = append(l.writers[x], i)
	}
	for _, v := range c.Node.In {
		if v == nil || g.walks[l.byValue[v]].Kind != Along {
			continue
		}
		for _, k := range slices.Backward(l.writers[l.byValue[v]]) {
			if h := l.group[k]; h != g && h.at == k && l.mayJoin(h, g) {
				l.join(h, g)
			}
		}
	}
}

// newGroup returns a group of one call, or nil if its operands do not match rows.
func (l *chainList) newGroup(i int, c *Call) *group {
	y := c.Node.Out[0]
	g := &group{at: i, members: []*Call{c}, elems: ir.Size(y.Type.Shape), walks: map[*Var]Walk{}, out: map[*Var]bool{l.byValue[y]: true}}
	matches := true
	Operands(*c.Part, func(v *ir.Value) {
		w, row, ok := walkOf(v.Type.Shape, y.Type.Shape)
		switch {
		case v == y:
			w, row, ok = Walk{}, ir.C(0), true
		case slices.Contains(c.Part.Args, any(op.Whole{Value: v})):
			w, row, ok = Walk{Kind: Single}, ir.C(0), true
		}
		matches = matches && ok && g.walk(l.byValue[v], w, row)
	})
	if !matches {
		return nil
	}
	return g
}

// elementwise returns the call of a step that may be part of a chain: the only call of its node, on elements of
// fixed size. It returns nil for other steps.
func (c *chainer) elementwise(s Step) *Call {
	call, ok := s.(*Call)
	if !ok || call.Part == nil || c.calls[call.Node] != 1 || len(call.Binds)+len(call.Node.Syms) > 0 || op.Lookup(call.Node).Effect {
		return nil
	}
	ok = c.long(ir.Size(call.Node.Out[0].Type.Shape))
	Operands(call.Call, func(v *ir.Value) { ok = ok && v.Type.Kind == ir.Tensor && chainedElem(v) })
	if !ok {
		return nil
	}
	return call
}

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
	crosses := false // a step that is not only making room
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
			crosses = true
			continue
		}
		if !l.passes(h, s) {
			return false
		}
		if _, ok := s.(*Grow); !ok {
			crosses = true
		}
	}
	return !crosses || h.inputs() < 2
}

// passes reports whether the calls of h can run after a step outside of any group.
func (l *chainList) passes(h *group, s Step) bool {
	ok := true
	check := func(s Step) {
		h.elems.Syms(func(sym string) { ok = ok && !slices.Contains(s.binds(), sym) })
		l.Touches(s, func(x *Var) {
			if h.out[x] || h.uses(x) && l.writes(s, x) {
				ok = false
			}
		})
	}
	if _, grow := s.(*Grow); grow {
		return true
	}
	each([]Step{s}, check, func(Step) {})
	return ok
}

// join merges h into g.
func (l *chainList) join(h, g *group) {
	g.members = append(slices.Clone(h.members), g.members...)
	slices.SortStableFunc(g.members, func(x, y *Call) int { return l.index[x] - l.index[y] })
	row, walks, more, _ := commonWalks(h.row, g.row, h.walks, g.walks)
	maps.Copy(walks, more)
	g.row, g.walks = row, walks
	maps.Copy(g.out, h.out)
	for x := range h.out {
		l.writers[x] = append(l.writers[x], g.at)
	}
	for _, c := range h.members {
		l.group[l.index[c]] = g
	}
}

// joined returns the steps with chains in place of groups of several calls.
func (l *chainList) joined() []Step {
	var out []Step
	temps := map[*Var]bool{}
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
		c := l.makeChain(g)
		for _, o := range c.Operands {
			if grow := grows[l.byValue[o.Value]]; grow != nil && o.Written >= 0 {
				out = append(out, grow)
			}
		}
		for _, t := range c.Temps {
			temps[l.byValue[t.Value]] = true
		}
		out = append(out, c)
	}
	if len(temps) > 0 {
		l.Vars = slices.DeleteFunc(l.Vars, func(x *Var) bool { return temps[x] })
	}
	return out
}
