package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Step is one statement of the run: a [*Call], [*Chain], [*Grow], [*Clear], [*Copy], [*Bind], [*Append],
// [*Row], [*If], [*Loop], [*Scan] or [*Rolled].
//
// Liveness, pruning, renaming and verification depend on these methods of a step. What looks for one type of
// step, such as calls that can become a chain, leaves all others as they are. A switch over the types panics for
// a type that it does not list.
type Step interface {
	// operands visits the operands of the step itself, in order, but not those of steps in its bodies. The
	// visitor may replace variables.
	operands(p *Plan, v visitor)

	// bodies returns the lists of steps inside, or nil.
	bodies() []*[]Step

	// order says how the bodies run.
	order() order

	// binds returns the symbols that the step itself gives a value, or nil.
	binds() []string

	// node returns the node that the step computes, or nil for a step that only prepares or moves data.
	node() *ir.Node

	// kernels returns the calls that run where the step stands: itself, those of a chain, or those of a repetition.
	// Calls in the arms of a branch or in a loop are not among them.
	kernels() []*Call
}

// order says how the bodies of a step run.
type order uint8

const (
	straight order = iota // there are none
	either                // one of two
	repeated              // the first one once, and then the second one any number of times
	inlined               // the only one, once: it is a repetition of a block
)

// Access is the way in which a step uses a variable.
type Access uint8

// The kinds of access. An operand with both Read and Write is modified in place.
const (
	Read   Access = 1 << iota // needs the content
	Write                     // sets the content
	Resize                    // makes room, which discards the content
)

// visitor visits operands. Nil functions are not called. Some steps that move data have variables without
// values.
type visitor struct {
	variable func(x **Var, v *ir.Value, a Access)
	size     func(d ir.Dim)
}

// use visits a variable; nil stands for an absent operand.
func (v visitor) use(x **Var, a Access) { v.useAs(x, nil, a) }

func (v visitor) useAs(x **Var, of *ir.Value, a Access) {
	if v.variable != nil && *x != nil {
		v.variable(x, of, a)
	}
}

// value visits the variable of a value. A replacement is stored in the plan.
func (v visitor) value(p *Plan, x *ir.Value, a Access) {
	y := p.byValue[x]
	v.useAs(&y, x, a)
}

func (v visitor) dims(s ...ir.Dim) {
	if v.size == nil {
		return
	}
	for _, d := range s {
		v.size(d)
	}
}

// uses returns a visitor that calls f and replaces nothing.
func uses(f func(x *Var, a Access)) visitor {
	return visitor{variable: func(x **Var, _ *ir.Value, a Access) { f(*x, a) }}
}

// renaming returns a visitor that replaces variables.
func renaming(find func(*Var) *Var) visitor {
	return visitor{variable: func(x **Var, _ *ir.Value, _ Access) { *x = find(*x) }}
}

// Touches calls f for each variable that a step itself reads or writes.
func (p *Plan) Touches(s Step, f func(x *Var)) {
	s.operands(p, uses(func(x *Var, _ Access) { f(x) }))
}

// writes reports whether a step itself may change x.
func (p *Plan) writes(s Step, x *Var) bool {
	found := false
	s.operands(p, uses(func(y *Var, a Access) { found = found || y == x && a&(Write|Resize) != 0 }))
	return found
}

// each calls f for every step, outer steps before inner ones. It calls leave after the body of a step.
func each(steps []Step, f func(s Step), leave func(s Step)) {
	for _, s := range steps {
		f(s)
		bodies := s.bodies()
		for _, body := range bodies {
			each(*body, f, leave)
		}
		if bodies != nil {
			leave(s)
		}
	}
}

// Calls returns the kernel calls that run where a step stands: itself, those of a chain, or those of a repetition.
// Those in [Bodies] are not among them.
func Calls(s Step) []*Call { return s.kernels() }

// Bodies returns the lists of steps inside a step of control flow, or nil.
func Bodies(s Step) [][]Step {
	if s.order() == inlined {
		return nil
	}
	var out [][]Step
	for _, body := range s.bodies() {
		out = append(out, *body)
	}
	return out
}

// unknown stops the compilation at a type of step that a switch over all of them lacks.
func unknown(s Step) { panic(fmt.Sprintf("BUG: steps of type %T are not known here", s)) }
