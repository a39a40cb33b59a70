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

// prune drops steps whose results nobody reads: shape arithmetic that was
// resolved when the code was generated leaves many of them. It repeats until
// nothing changes, since a dropped step reads no more.
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

// liveness is what some step or output reads.
type liveness struct {
	read    map[*Var]bool
	held    map[*Var]bool // operands of calls, read or written: they need their room
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

// mark notes what a step reads.
func (b *builder) mark(l *liveness, s Step) {
	b.touches(s, func(x *Var) { l.touched[x] = true })
	switch s := s.(type) {
	case *Call:
		for _, a := range s.Args {
			l.arg(a)
		}
		eachOperand(s.Call, func(v *ir.Value) {
			l.held[b.byValue[v]] = true
			if !b.writes(s, v) {
				l.read[b.byValue[v]] = true
			}
		})
	case *Grow:
		l.dim(s.Var.Len)
	case *Copy:
		l.read[s.Src] = true
	case *Append:
		l.read[s.Src] = true
	case *Row:
		l.read[s.Src] = true
		l.dim(s.Len)
		l.dim(s.Rows)
	case *Bind:
		for _, v := range s.Values {
			switch v := v.(type) {
			case Elem:
				l.read[v.Var] = true
			case ir.Dim:
				l.dim(v)
			}
		}
	case *Scan:
		l.dim(s.Rows)
		for _, x := range s.Slices {
			l.dim(x.Len)
		}
		b.touches(s, func(x *Var) { l.read[x] = true })
	case *If, *Loop:
		b.touches(s, func(x *Var) { l.read[x] = true })
	}
}

func (b *builder) writes(c *Call, v *ir.Value) bool { return slices.Contains(c.Node.Out, v) }

func (l *liveness) arg(a any) {
	switch a := a.(type) {
	case ir.Dim:
		l.dim(a)
	case []ir.Dim:
		l.shape(a)
	case op.Boxed:
		l.shape(a.Type.Shape)
	case op.Struct:
		for _, f := range a.Fields {
			l.arg(f.Value)
		}
	}
}

func (l *liveness) shape(s []ir.Dim) {
	for _, d := range s {
		l.dim(d)
	}
}

func (l *liveness) dim(d ir.Dim) { d.Syms(func(s string) { l.syms[s] = true }) }

// keep is the steps whose results somebody reads.
func (b *builder) keep(steps []Step, live *liveness) []Step {
	var out []Step
	for _, s := range steps {
		switch s := s.(type) {
		case *Call:
			if !b.callNeeded(s, live) {
				continue
			}
		case *Grow:
			if !live.read[s.Var] && !live.held[s.Var] {
				continue
			}
		case *Copy:
			if !live.read[s.Dst] {
				continue
			}
		case *Append:
			if !live.read[s.Dst] {
				continue
			}
		case *Row:
			if !live.read[s.Dst] {
				continue
			}
		case *Clear:
			if !live.read[s.Var] {
				continue
			}
		case *Bind:
			if !slices.ContainsFunc(s.Syms, func(x string) bool { return live.syms[x] }) {
				continue
			}
			trim(s, live)
		case *If:
			s.Then, s.Else = b.keep(s.Then, live), b.keep(s.Else, live)
			if len(s.Then)+len(s.Else) == 0 {
				continue
			}
		case *Loop:
			s.Start, s.Body = b.keep(s.Start, live), b.keep(s.Body, live)
		case *Scan:
			s.Start, s.Body = b.keep(s.Start, live), b.keep(s.Body, live)
		}
		out = append(out, s)
	}
	return out
}

// trim drops the symbols of a binding that nobody asks for.
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

// callNeeded reports whether a call does something that somebody asks for: its
// node has an effect, defines a value that is read or a symbol that is used.
// A call that only counts is needed for its own symbol alone.
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

// anyWritten reports whether a call writes outputs or scratch.
func (b *builder) anyWritten(c *Call) bool {
	found := false
	eachOperand(c.Call, func(v *ir.Value) { found = found || b.writes(c, v) || isScratch(v) })
	return found
}

// isScratch reports whether v is a node's own memory: it has no place in the
// graph.
func isScratch(v *ir.Value) bool { return v.Def == nil && v.Const == nil }
