package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// minRolled is the smallest number of steps that a block must save.
const minRolled = 12

// Block is a list of steps that a plan repeats with different weights and operands, such as the layers of a
// transformer or the units of a residual stage.
type Block struct {
	Steps   []Step      // of the first repetition
	Params  []*Var      // operands of the first repetition that differ in others
	Weights [][]*Weight // by repetition; all lists have the same length
	Consts  []*Var      // of the first repetition: the variables of Weights[0]
	Locals  []*Var      // variables that each repetition uses only internally
	Count   int
}

// Rolled is one repetition of a block.
type Rolled struct {
	Block *Block
	Index int
	Args  []*Var
	Steps []Step // its steps, for liveness
}

func (*Rolled) operands(*Plan, visitor) {}

func (r *Rolled) bodies() []*[]Step { return []*[]Step{&r.Steps} }

// roll replaces repeated lists of steps by blocks.
func (b *builder) roll() {
	b.Steps = b.rolled(b.Steps)
}

func (b *builder) rolled(steps []Step) []Step {
	r, ok := b.bestRepeat(steps)
	if !ok {
		return steps
	}
	block, calls := b.makeBlock(steps[r.start:r.end()], r)
	if block == nil {
		return steps
	}
	b.Blocks = append(b.Blocks, block)
	out := b.rolled(steps[:r.start])
	out = append(slices.Clone(out), calls...)
	return append(out, b.rolled(steps[r.end():])...)
}

// repeat is a sequence of count lists of period steps.
type repeat struct{ start, period, count int }

func (r repeat) end() int   { return r.start + r.period*r.count }
func (r repeat) saved() int { return r.period * (r.count - 1) }

// bestRepeat returns the repetition that saves the most steps, and among those the one with the fewest
// operands.
func (b *builder) bestRepeat(steps []Step) (repeat, bool) {
	tokens := make([]string, len(steps))
	for i, s := range steps {
		tokens[i] = b.token(s)
	}
	var best repeat
	for period := 2; period <= len(steps)/2; period++ {
		run := 0
		for i := len(steps) - period - 1; i >= 0; i-- {
			if tokens[i] == "" || tokens[i] != tokens[i+period] {
				run = 0
				continue
			}
			run++
			if r := (repeat{i, period, run/period + 1}); r.count > 1 && r.saved() > best.saved() {
				best = r
			}
		}
	}
	if best.saved() < minRolled {
		return best, false
	}
	return b.align(steps, tokens, best), true
}

// align shifts a repetition to the position with the fewest operands between its parts.
func (b *builder) align(steps []Step, tokens []string, r repeat) repeat {
	best, fewest := r, -1
	for shift := range r.period {
		s := repeat{r.start + shift, r.period, r.count}
		if s.end() > len(steps) || !repeats(tokens[s.start:s.end()], r.period) {
			s.count--
		}
		if s.count < 2 || s.saved() < r.saved()-r.period {
			continue
		}
		m := b.classify(steps[s.start:s.end()], s)
		if m == nil {
			continue
		}
		// Losing one repetition is worthwhile only for a clearly better cut.
		cost := len(m.params) + 2*(r.count-s.count)
		if fewest < 0 || cost < fewest {
			best, fewest = s, cost
		}
	}
	return best
}

func repeats(tokens []string, period int) bool {
	for i := period; i < len(tokens); i++ {
		if tokens[i] != tokens[i-period] {
			return false
		}
	}
	return true
}

// token returns a key that is equal for steps which differ only in the variables they use. It is empty for a
// step that cannot be part of a block.
func (b *builder) token(s Step) string {
	if b.Updates(s) != nil { // it runs only if this parameter is to be updated
		return ""
	}
	var t strings.Builder
	switch s := s.(type) {
	case *Call:
		if len(s.Binds) > 0 || len(s.Node.Syms) > 0 {
			return ""
		}
		t.WriteString(s.Kernel)
		for _, a := range s.Args {
			b.argToken(&t, a)
		}
	case *Chain:
		b.chainToken(&t, s)
	case *Grow:
		t.WriteString("grow ")
		b.varToken(&t, s.Var)
	default:
		return ""
	}
	return t.String()
}

// chainToken adds the places of intermediate results to the key.
func (b *builder) chainToken(t *strings.Builder, c *Chain) {
	places := map[*Var]int{}
	for _, x := range c.Temps {
		places[b.byValue[x.Value]] = x.Place
	}
	for _, s := range c.Calls {
		t.WriteString(" " + s.Kernel)
		for _, a := range s.Args {
			if v, ok := a.(*ir.Value); ok && v != nil {
				if k, ok := places[b.byValue[v]]; ok {
					fmt.Fprintf(t, " temp%d", k)
					continue
				}
			}
			b.argToken(t, a)
		}
	}
	for _, o := range c.Operands {
		fmt.Fprintf(t, " %v", o.Walk)
	}
}

func (b *builder) argToken(t *strings.Builder, a any) {
	switch a := a.(type) {
	case *ir.Value:
		if a == nil {
			t.WriteString(" nil")
			return
		}
		b.varToken(t, b.byValue[a])
	case op.Boxed:
		fmt.Fprintf(t, " boxed %v", a.Type)
		b.varToken(t, b.byValue[a.Value])
	case op.Whole:
		b.argToken(t, a.Value)
	case op.Struct:
		t.WriteString(" " + a.Type)
		for _, f := range a.Fields {
			t.WriteString("." + f.Name)
			b.argToken(t, f.Value)
		}
	default:
		fmt.Fprintf(t, " %v", a)
	}
}

func (b *builder) varToken(t *strings.Builder, x *Var) {
	fmt.Fprintf(t, " %v:%v:%v", x.Type.Elem, x.Len, x.Place == Constant)
}

// matching maps each variable of the first repetition to those of the others.
type matching struct {
	twins    map[*Var][]*Var // by repetition
	params   []*Var
	consts   []*Var
	internal []*Var
}

// classify matches the variables of the repetitions. It returns nil if a variable has two counterparts in one
// of them.
func (b *builder) classify(steps []Step, r repeat) *matching {
	m := &matching{twins: map[*Var][]*Var{}}
	var order []*Var
	for k := range r.count {
		for i := range r.period {
			first, mine := b.varsOf(steps[i]), b.varsOf(steps[k*r.period+i])
			for j, x := range first {
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
	}
	inside := b.onlyInside(steps, r)
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

// onlyInside returns the variables that only one repetition uses.
func (b *builder) onlyInside(steps []Step, r repeat) map[*Var]bool {
	owner := map[*Var]int{}
	in := map[Step]int{}
	for i, s := range steps {
		in[s] = i/r.period + 1
	}
	each(b.Steps, func(s Step) {
		b.touches(s, func(x *Var) {
			if k, ok := owner[x]; !ok {
				owner[x] = in[s]
			} else if k != in[s] {
				owner[x] = 0
			}
		})
	}, func(Step) {})
	out := map[*Var]bool{}
	for x, k := range owner {
		out[x] = k > 0 && !b.isOutput(x)
	}
	return out
}

func (b *builder) isOutput(x *Var) bool {
	return slices.ContainsFunc(b.Outputs, func(p *Port) bool { return p.Var == x || p.Source == x })
}

// varsOf returns the variables that a step uses, in order.
func (b *builder) varsOf(s Step) []*Var {
	var out []*Var
	b.touches(s, func(x *Var) { out = append(out, x) })
	return out
}

// makeBlock makes a block of a repetition, and the calls that replace its steps.
func (b *builder) makeBlock(steps []Step, r repeat) (*Block, []Step) {
	m := b.classify(steps, r)
	if m == nil {
		return nil, nil
	}
	block := &Block{Steps: steps[:r.period], Params: m.params, Consts: m.consts, Locals: m.internal, Count: r.count}
	merged := map[*Var]*Var{}
	for _, x := range m.internal {
		x.repeated = true
		for _, y := range m.twins[x][1:] {
			merged[y] = x
		}
	}
	find := func(x *Var) *Var {
		if y := merged[x]; y != nil {
			return y
		}
		return x
	}
	var calls []Step
	for k := range r.count {
		call := &Rolled{Block: block, Index: k}
		for _, x := range m.params {
			call.Args = append(call.Args, m.twins[x][k])
		}
		var ws []*Weight
		for _, x := range m.consts {
			ws = append(ws, b.Weights[m.twins[x][k].Index])
		}
		block.Weights = append(block.Weights, ws)
		call.Steps = steps[k*r.period : (k+1)*r.period]
		calls = append(calls, call)
	}
	for v, x := range b.byValue {
		b.byValue[v] = find(x)
	}
	for _, c := range calls {
		for _, s := range c.(*Rolled).Steps {
			s.operands(b.Plan, renaming(find))
		}
	}
	b.Vars = slices.DeleteFunc(b.Vars, func(x *Var) bool { return merged[x] != nil })
	return block, calls
}

// Grows reports whether the repetition makes room for x.
func (r *Rolled) Grows(x *Var) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		g, ok := s.(*Grow)
		return ok && g.Var == x
	})
}
