package plan

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Verify reports errors in a plan: a step that reads a value which no step has written or which has been
// overwritten, and invalid places. It simulates the steps in the order of execution, independently of how
// lives and places were computed.
func (p *Plan) Verify() error {
	if err := p.verifyPlaces(); err != nil {
		return err
	}
	v := &verifier{p: p, vars: map[*Var]bool{}, syms: map[string]bool{}, memory: newMemory(p.carried)}
	for _, x := range p.Vars {
		v.vars[x] = true
	}
	for _, i := range p.Inputs {
		v.bindShape(i.Value)
	}
	for _, s := range p.States {
		v.bindShape(s.Param)
	}
	if err := v.steps(p.Steps); err != nil {
		return err
	}
	for _, o := range p.Outputs {
		for _, x := range []*Var{o.Var, o.Source} {
			if x != nil && !v.memory.has(x, o.Value) {
				return fmt.Errorf("output %q: %w", o.Value.Name, lost(x, o.Value))
			}
		}
	}
	return nil
}

// verifyPlaces reports places outside of their memory.
func (p *Plan) verifyPlaces() error {
	for _, x := range p.Vars {
		switch x.Place {
		case Arena:
			if n := x.bytes(); n < 0 || x.Off < 0 || x.Off%align != 0 || x.Off+n > p.Arena {
				return fmt.Errorf("value %q (%s) is at %d of an arena of %d bytes", x.Value.Name, x.Type, x.Off, p.Arena)
			}
		case Slot:
			if x.Off < 0 || x.Off >= p.Slots[x.Type.Elem] {
				return fmt.Errorf("value %q (%s) is in buffer %d of %d", x.Value.Name, x.Type, x.Off, p.Slots[x.Type.Elem])
			}
		}
	}
	return nil
}

// verifier simulates a plan without data. It tracks which variables have their content, and which symbols
// have a size.
type verifier struct {
	p      *Plan
	vars   map[*Var]bool
	syms   map[string]bool
	memory *memory

	node *ir.Node             // of the last call
	outs map[*Var][]*ir.Value // its outputs
}

func (v *verifier) bindShape(x *ir.Value) {
	for _, d := range x.Type.Shape {
		d.Syms(func(s string) { v.syms[s] = true })
	}
}

func (v *verifier) steps(steps []Step) error {
	for _, s := range steps {
		if err := v.step(s); err != nil {
			if n := s.node(); n != nil {
				return fmt.Errorf("%s: %w", n, err)
			}
			return err
		}
	}
	return nil
}

func (v *verifier) step(s Step) error {
	bodies := s.bodies()
	switch s.order() {
	case straight:
		return v.itself(s)
	case either:
		return v.either(s, *bodies[0], *bodies[1])
	case repeated:
		return v.repeat(s, *bodies[0], *bodies[1])
	case inlined:
		return v.steps(*bodies[0])
	}
	panic(fmt.Sprintf("BUG: the bodies of a %T run in an unknown order", s))
}

// itself simulates a step without its bodies: it reads, and then writes.
func (v *verifier) itself(s Step) error {
	var reads, writes []operand
	var err error
	s.operands(v.p, visitor{
		variable: func(x **Var, of *ir.Value, a Access) {
			o := operand{*x, of, a}
			if a&Read != 0 {
				reads = append(reads, o)
			} else {
				writes = append(writes, o)
			}
		},
		size: func(d ir.Dim) {
			d.Syms(func(x string) {
				if !v.syms[x] {
					err = fmt.Errorf("size %q is used before it is known", x)
				}
			})
		},
	})
	if err != nil {
		return err
	}
	if err := v.check(reads, writes); err != nil {
		return err
	}
	for _, x := range s.binds() {
		v.syms[x] = true
	}
	for _, o := range writes {
		if o.access == Write {
			v.memory.write(o.Var, o.value)
		} else {
			v.memory.resize(o.Var)
		}
	}
	if c, ok := s.(*Call); ok {
		v.updated(c, reads)
	}
	return nil
}

// operand is the access of a step to a variable.
type operand struct {
	*Var
	value  *ir.Value // nil if it is unknown
	access Access
}

// check reports operands without a place or without content, and results that overwrite other operands.
func (v *verifier) check(reads, writes []operand) error {
	for _, o := range slices.Concat(reads, writes) {
		if o.Place <= View && !v.vars[o.Var] {
			return fmt.Errorf("value %q (%s) has no place", o.Var.Value.Name, o.Type)
		}
	}
	for _, o := range reads {
		if !v.memory.has(o.Var, o.value) {
			return lost(o.Var, o.value)
		}
	}
	for i, x := range writes {
		for _, y := range slices.Concat(reads, writes[:i]) {
			if overlap(x.Var, y.Var) {
				return fmt.Errorf("value %q (%s) is written while value %q is needed, in the same memory", x.Var.Value.Name, x.Type, y.Var.Value.Name)
			}
		}
	}
	return nil
}

// updated records the results of a call that changes its inputs in place.
func (v *verifier) updated(c *Call, reads []operand) {
	if v.node != c.Node {
		v.node, v.outs = c.Node, map[*Var][]*ir.Value{}
		for _, y := range c.Node.Out {
			if x := v.p.byValue[y]; y != nil && x != nil {
				v.outs[x] = append(v.outs[x], y)
			}
		}
	}
	for _, o := range reads {
		if y := v.outs[o.Var]; len(y) > 0 && o.Place != Constant {
			v.memory.write(o.Var, y[len(y)-1])
		}
	}
}

// either simulates one of two bodies. Afterwards, only values written by both can be read.
func (v *verifier) either(s Step, then, other []Step) error {
	if err := v.itself(s); err != nil {
		return err
	}
	return v.memory.either(func() error { return v.steps(then) }, func() error { return v.steps(other) })
}

// repeat simulates a body twice, so that values passed to the next iteration are checked. Results of a body
// that never runs are empty.
func (v *verifier) repeat(s Step, start, body []Step) error {
	if err := v.steps(start); err != nil {
		return err
	}
	for range 2 {
		if err := v.itself(s); err != nil {
			return err
		}
		if err := v.steps(body); err != nil {
			return err
		}
	}
	return v.itself(s)
}

func lost(x *Var, v *ir.Value) error {
	if v == nil {
		v = x.Value
	}
	return fmt.Errorf("value %q (%s) is read, which no step has written, or another value is in its place", v.Name, v.Type)
}
