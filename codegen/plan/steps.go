package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
)

// Step is one statement of the run: a [*Call], [*Chain], [*Grow], [*Clear],
// [*Copy], [*Bind], [*Append], [*Row], [*If], [*Loop], [*Scan] or [*Rolled].
//
// Liveness, pruning, renaming and the check of a plan know a step by what it tells
// of itself here.
type Step interface {
	// operands tells what the step itself names, in order; its bodies' steps tell
	// theirs. A variable that it names may be replaced.
	operands(p *Plan, v visitor)

	// bodies are the lists of steps inside, nil for a step that has none.
	bodies() []*[]Step
}

// Access is what a step does with a variable.
type Access uint8

// What a step does with a variable. A step that both reads and writes one may do so
// in the same memory.
const (
	Read   Access = 1 << iota // needs what an earlier step wrote
	Write                     // gives it a content
	Resize                    // makes room, which ends the content before
)

// visitor is told of operands. A nil function is not called. Some steps that move data
// know variables alone, and no value.
type visitor struct {
	variable func(x **Var, v *ir.Value, a Access)
	size     func(d ir.Dim)
}

// use tells of a variable, nil for an operand that is absent.
func (v visitor) use(x **Var, a Access) { v.useAs(x, nil, a) }

func (v visitor) useAs(x **Var, of *ir.Value, a Access) {
	if v.variable != nil && *x != nil {
		v.variable(x, of, a)
	}
}

// value tells of the variable of a value. That is replaced where the plan keeps it.
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

// uses returns a visitor of variables that replaces none.
func uses(f func(x *Var, a Access)) visitor {
	return visitor{variable: func(x **Var, _ *ir.Value, a Access) { f(*x, a) }}
}

// renaming returns a visitor that replaces variables.
func renaming(find func(*Var) *Var) visitor {
	return visitor{variable: func(x **Var, _ *ir.Value, _ Access) { *x = find(*x) }}
}

// touches calls f for each variable that a step itself reads or writes.
func (p *Plan) touches(s Step, f func(x *Var)) {
	s.operands(p, uses(func(x *Var, _ Access) { f(x) }))
}

// Touches calls f for each variable that a step itself reads or writes.
func (p *Plan) Touches(s Step, f func(x *Var)) { p.touches(s, f) }

// writes reports whether a step itself may change x.
func (p *Plan) writes(s Step, x *Var) bool {
	found := false
	s.operands(p, uses(func(y *Var, a Access) { found = found || y == x && a&(Write|Resize) != 0 }))
	return found
}

// Bodies returns the lists of steps inside one of control flow, nil for any other.
func Bodies(s Step) [][]Step {
	if _, ok := s.(*Rolled); ok {
		return nil
	}
	var out [][]Step
	for _, body := range s.bodies() {
		out = append(out, *body)
	}
	return out
}

// Call calls a kernel.
type Call struct {
	op.Call
	Node *ir.Node
}

// Fails reports whether data can make a call fail.
func Fails(c *Call) bool { return eval.Fails(c.Call) }

func (c *Call) operands(p *Plan, v visitor) {
	for _, a := range c.Args {
		argSizes(a, v)
	}
	eachOperand(c.Call, func(x *ir.Value) {
		a := Read
		if c.writes(x) || p.scratch[x] {
			a = Write
		}
		v.value(p, x, a)
	})
}

// argSizes tells of the sizes in an argument.
func argSizes(a any, v visitor) {
	switch a := a.(type) {
	case ir.Dim:
		v.dims(a)
	case []ir.Dim:
		v.dims(a...)
	case op.Boxed:
		v.dims(a.Type.Shape...)
	case op.Struct:
		for _, f := range a.Fields {
			argSizes(f.Value, v)
		}
	}
}

// writes reports whether x is a result of the call's node.
func (c *Call) writes(x *ir.Value) bool { return slices.Contains(c.Node.Out, x) }

func (*Call) bodies() []*[]Step { return nil }

// Grow makes room for a variable whose size is known only now.
type Grow struct{ Var *Var }

func (s *Grow) operands(_ *Plan, v visitor) {
	v.dims(s.Var.Len)
	v.use(&s.Var, Resize)
}

func (*Grow) bodies() []*[]Step { return nil }

// Copy makes dst what src is, size and all.
type Copy struct {
	Dst, Src *Var

	to, from *ir.Value // what they hold then; nil if that does not matter
}

func (s *Copy) operands(_ *Plan, v visitor) {
	v.useAs(&s.Src, s.from, Read)
	v.useAs(&s.Dst, s.to, Write)
}

func (*Copy) bodies() []*[]Step { return nil }

// Bind gives symbols their values, all at once.
type Bind struct {
	Syms   []string
	Values []any // ir.Dim, or Elem
}

// Elem is an element of an integer tensor.
type Elem struct {
	Var   *Var
	Index int
}

func (s *Bind) operands(_ *Plan, v visitor) {
	for i, x := range s.Values {
		switch x := x.(type) {
		case ir.Dim:
			v.dims(x)
		case Elem:
			v.use(&x.Var, Read)
			s.Values[i] = x
		}
	}
}

func (*Bind) bodies() []*[]Step { return nil }

// If runs one of two lists.
type If struct {
	Node       *ir.Node
	Cond       *Var
	Then, Else []Step
}

func (s *If) operands(_ *Plan, v visitor) { v.use(&s.Cond, Read) }

func (s *If) bodies() []*[]Step { return []*[]Step{&s.Then, &s.Else} }

// Loop runs its body while Cond holds and the trips are not over.
type Loop struct {
	Node  *ir.Node
	Trips *Var // nil: no limit
	Cond  *Var // holds the condition, before and after each iteration; nil: always
	Iter  *Var // the number of the iteration; nil: nobody asks
	Start []Step
	Body  []Step
	Count string // the symbol of the number of iterations, "" if nobody asks
}

func (s *Loop) operands(_ *Plan, v visitor) {
	v.use(&s.Trips, Read)
	v.use(&s.Cond, Read)
	v.use(&s.Iter, Write)
}

func (s *Loop) bodies() []*[]Step { return []*[]Step{&s.Start, &s.Body} }

// Clear empties a variable that iterations append to.
type Clear struct{ Var *Var }

func (s *Clear) operands(_ *Plan, v visitor) { v.use(&s.Var, Write) }

func (*Clear) bodies() []*[]Step { return nil }

// Append adds what one iteration gave to the end of Dst.
type Append struct{ Dst, Src *Var }

func (s *Append) operands(_ *Plan, v visitor) {
	v.use(&s.Dst, Write)
	v.use(&s.Src, Read)
}

func (*Append) bodies() []*[]Step { return nil }

// Scan runs its body once for each row of its inputs.
type Scan struct {
	Node   *ir.Node
	Rows   ir.Dim
	Start  []Step
	Slices []*Slice
	Body   []Step
}

// Slice makes Dst the row of Src whose turn it is.
type Slice struct {
	Dst, Src *Var
	Len      ir.Dim
	Back     bool // from the last row to the first
}

func (s *Scan) operands(_ *Plan, v visitor) {
	v.dims(s.Rows)
	for _, x := range s.Slices {
		v.dims(x.Len)
		v.use(&x.Dst, Write)
		v.use(&x.Src, Read)
	}
}

func (s *Scan) bodies() []*[]Step { return []*[]Step{&s.Start, &s.Body} }

// Row copies Src to the row of Dst whose turn it is.
type Row struct {
	Dst, Src  *Var
	Len, Rows ir.Dim
	Back      bool
}

func (s *Row) operands(_ *Plan, v visitor) {
	v.dims(s.Len, s.Rows)
	v.use(&s.Dst, Write)
	v.use(&s.Src, Read)
}

func (*Row) bodies() []*[]Step { return nil }
