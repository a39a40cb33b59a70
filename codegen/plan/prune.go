package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// prune drops steps with unused results. Shape arithmetic that was resolved during code generation
// leaves many of them. It repeats until nothing changes, as dropping a step may leave its operands unused.
func (p *Plan) prune() {
	for {
		live := p.live()
		n := count(p.Steps)
		p.Steps = p.keep(p.Steps, live)
		if count(p.Steps) == n {
			break
		}
	}
	live := p.live()
	p.Vars = slices.DeleteFunc(p.Vars, func(x *Var) bool { return !live.touched[x] })
	p.dropWeights(live)
	p.Syms = slices.DeleteFunc(p.Syms, func(s string) bool { return !live.syms[s] && !p.inputSym(s) })
}

// dropWeights removes the constants that nothing reads, and numbers the others anew.
func (p *Plan) dropWeights(live *liveness) {
	used := make([]bool, len(p.Weights))
	for x := range live.touched {
		if x.Place == Constant {
			used[x.Index] = true
		}
	}
	for _, o := range p.Outputs {
		if o.Source != nil && o.Source.Place == Constant {
			used[o.Source.Index] = true
		}
	}
	index := make([]int, len(p.Weights))
	var kept []*Weight
	for i, w := range p.Weights {
		if used[i] {
			index[i] = len(kept)
			kept = append(kept, w)
		}
	}
	seen := map[*Var]bool{}
	for _, x := range p.byValue {
		if x.Place == Constant && !seen[x] {
			seen[x] = true
			x.Index = index[x.Index]
		}
	}
	p.Weights = kept
}

// inputSym reports whether a symbol is in the shape of an input: the caller sets it.
func (p *Plan) inputSym(s string) bool {
	found := false
	for _, x := range p.Inputs {
		for _, d := range x.Value.Type.Shape {
			d.Syms(func(t string) { found = found || t == s })
		}
	}
	return found
}

// count returns the number of steps, with those in bodies.
func count(steps []Step) int {
	n := 0
	each(steps, func(Step) { n++ }, func(Step) {})
	return n
}

// liveness is the set of values, variables and symbols that steps or outputs read.
type liveness struct {
	read    map[*Var]bool
	held    map[*Var]bool // read or written by steps, which need its memory
	touched map[*Var]bool
	syms    map[string]bool
}

// live returns what the present steps and the results need.
func (p *Plan) live() *liveness {
	l := &liveness{map[*Var]bool{}, map[*Var]bool{}, map[*Var]bool{}, map[string]bool{}}
	for _, o := range p.Outputs {
		for _, x := range []*Var{o.Var, o.Source} {
			if x != nil {
				l.read[x], l.touched[x] = true, true
			}
		}
		l.shape(o.Value.Type.Shape)
	}
	for _, s := range p.States {
		l.read[s.Var], l.touched[s.Var] = true, true
	}
	each(p.Steps, func(s Step) { p.mark(l, s) }, func(Step) {})
	return l
}

// mark records what a step reads, and which memory it needs.
func (p *Plan) mark(l *liveness, s Step) {
	s.operands(p, visitor{
		variable: func(x **Var, _ *ir.Value, a Access) {
			l.touched[*x] = true
			if a&Read != 0 {
				l.read[*x] = true
			}
			if a != Resize {
				l.held[*x] = true
			}
		},
		size: l.dim,
	})
}

func (l *liveness) shape(s []ir.Dim) {
	for _, d := range s {
		l.dim(d)
	}
}

func (l *liveness) dim(d ir.Dim) { d.Syms(func(s string) { l.syms[s] = true }) }

// keep returns the steps that are needed.
func (p *Plan) keep(steps []Step, live *liveness) []Step {
	var out []Step
	for _, s := range steps {
		for _, body := range s.bodies() {
			*body = p.keep(*body, live)
		}
		if !p.needed(s, live) {
			continue
		}
		if bind, ok := s.(*Bind); ok {
			trim(bind, live)
		}
		out = append(out, s)
	}
	return out
}

// needed reports whether a step has an effect, a body that is not empty, or a result that is used. A step that only
// moves data is needed if its result is read, and one that makes room if a step holds something there.
func (p *Plan) needed(s Step, live *liveness) bool {
	if c, ok := s.(*Call); ok {
		return p.callNeeded(c, live)
	}
	if s.order() == repeated { // loops count, and may not terminate
		return true
	}
	found := slices.ContainsFunc(s.binds(), func(x string) bool { return live.syms[x] }) ||
		slices.ContainsFunc(s.bodies(), func(body *[]Step) bool { return len(*body) > 0 })
	s.operands(p, uses(func(x *Var, a Access) {
		found = found || a&(Write|Resize) != 0 && live.read[x] || a&Resize != 0 && live.held[x]
	}))
	return found
}

// trim drops the unused symbols of a binding.
func trim(s *Bind, live *liveness) {
	var syms []string
	var vals []any
	for i, x := range s.Syms {
		if live.syms[x] {
			syms = append(syms, x)
			vals = append(vals, s.Values[i])
		}
	}
	s.Syms, s.Values = syms, vals
}

// callNeeded reports whether a call is needed: its node has an effect, defines a value that is read, or a
// symbol that is used. A call that only counts is needed only for its symbol.
func (p *Plan) callNeeded(c *Call, live *liveness) bool {
	used := func(s string) bool { return live.syms[s] }
	if o := op.Lookup(c.Node); o.Effect || c.Checks() {
		return true
	} else if o.Alias || len(c.Binds) > 0 && !p.anyWritten(c) {
		return slices.ContainsFunc(c.Binds, used)
	}
	if slices.ContainsFunc(c.Node.Syms, used) {
		return true
	}
	return slices.ContainsFunc(c.Node.Out, func(v *ir.Value) bool { return v != nil && live.read[p.byValue[v]] })
}

// anyWritten reports whether a call writes outputs of its node or scratch memory.
func (p *Plan) anyWritten(c *Call) bool {
	found := false
	Operands(c.Call, func(v *ir.Value) { found = found || c.writes(v) || p.scratch[v] })
	return found
}
