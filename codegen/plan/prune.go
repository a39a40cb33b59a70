package plan

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

func unsupportedSize(x *Var) error {
	return fmt.Errorf("value %q (%s) is larger than %d bytes", x.Value.Name, x.Type, maxArena)
}

func unsupportedArena(n int) error {
	return fmt.Errorf("values that live at the same time take %d bytes, at most %d are supported", n, maxArena)
}

// prune drops steps with unused results. Shape arithmetic that was resolved during code generation
// leaves many of them. It repeats until nothing changes, as dropping a step may leave its operands unused.
func (b *builder) prune() {
	for {
		live := b.live()
		n := count(b.Steps)
		b.Steps = b.keep(b.Steps, live)
		if count(b.Steps) == n {
			break
		}
	}
	live := b.live()
	b.Vars = slices.DeleteFunc(b.Vars, func(x *Var) bool { return !live.touched[x] })
	for i, w := range b.Weights {
		w.Off = i
	}
	b.dropWeights(live)
	b.Syms = slices.DeleteFunc(b.Syms, func(s string) bool { return !live.syms[s] && !b.inputSym(s) })
}

func (b *builder) dropWeights(live *liveness) {
	used := make([]bool, len(b.Weights))
	for x := range live.touched {
		if x.Place == Constant {
			used[x.Index] = true
		}
	}
	for _, p := range b.Outputs {
		if p.Source != nil && p.Source.Place == Constant {
			used[p.Source.Index] = true
		}
	}
	index := make([]int, len(b.Weights))
	var kept []*Weight
	for i, w := range b.Weights {
		if used[i] {
			index[i] = len(kept)
			kept = append(kept, w)
		}
	}
	seen := map[*Var]bool{}
	for _, x := range b.byValue {
		if x.Place == Constant && !seen[x] {
			seen[x] = true
			x.Index = index[x.Index]
		}
	}
	b.Weights = kept
}

func (b *builder) inputSym(s string) bool {
	found := false
	for _, p := range b.Inputs {
		for _, d := range p.Value.Type.Shape {
			d.Syms(func(x string) { found = found || x == s })
		}
	}
	return found
}

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

func (b *builder) live() *liveness {
	l := &liveness{map[*Var]bool{}, map[*Var]bool{}, map[*Var]bool{}, map[string]bool{}}
	for _, p := range b.Outputs {
		for _, x := range []*Var{p.Var, p.Source} {
			if x != nil {
				l.read[x], l.touched[x] = true, true
			}
		}
		l.shape(p.Value.Type.Shape)
	}
	for _, s := range b.States {
		l.read[s.Var], l.touched[s.Var] = true, true
	}
	each(b.Steps, func(s Step) { b.mark(l, s) }, func(Step) {})
	return l
}

// mark records what a step reads, and which memory it needs.
func (b *builder) mark(l *liveness, s Step) {
	_, grow := s.(*Grow)
	s.operands(b.Plan, visitor{
		variable: func(x **Var, _ *ir.Value, a Access) {
			l.touched[*x] = true
			if a&Read != 0 {
				l.read[*x] = true
			}
			if !grow {
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
func (b *builder) keep(steps []Step, live *liveness) []Step {
	var out []Step
	for _, s := range steps {
		for _, body := range s.bodies() {
			*body = b.keep(*body, live)
		}
		if !b.needed(s, live) {
			continue
		}
		if bind, ok := s.(*Bind); ok {
			trim(bind, live)
		}
		out = append(out, s)
	}
	return out
}

// needed reports whether a step has an effect or a result that is used. A step that only moves data is needed
// if its result is read.
func (b *builder) needed(s Step, live *liveness) bool {
	switch s := s.(type) {
	case *Call:
		return b.callNeeded(s, live)
	case *Grow:
		return live.read[s.Var] || live.held[s.Var]
	case *Bind:
		return slices.ContainsFunc(s.Syms, func(x string) bool { return live.syms[x] })
	case *If:
		return len(s.Then)+len(s.Else) > 0
	case *Loop, *Scan: // they count, and may not terminate
		return true
	}
	found := false
	s.operands(b.Plan, uses(func(x *Var, a Access) { found = found || a&Write != 0 && live.read[x] }))
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
func (b *builder) callNeeded(c *Call, live *liveness) bool {
	used := func(s string) bool { return live.syms[s] }
	if o := op.Lookup(c.Node); o.Effect || c.Checks() {
		return true
	} else if o.Alias || len(c.Binds) > 0 && !b.anyWritten(c) {
		return slices.ContainsFunc(c.Binds, used)
	}
	if slices.ContainsFunc(c.Node.Syms, used) {
		return true
	}
	return slices.ContainsFunc(c.Node.Out, func(v *ir.Value) bool { return v != nil && live.read[b.byValue[v]] })
}

// anyWritten reports whether a call writes outputs of its node or scratch memory.
func (b *builder) anyWritten(c *Call) bool {
	found := false
	eachOperand(c.Call, func(v *ir.Value) { found = found || c.writes(v) || b.scratch[v] })
	return found
}
