package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
)

// Step is one statement of the run: a [*Call], [*Chain], [*Grow], [*Clear], [*Copy], [*Bind], [*Append],
// [*Row], [*If], [*Loop], [*Scan] or [*Rolled].
//
// Liveness, pruning, renaming and verification depend only on these methods of a step.
// of itself here.
type Step interface {
	// operands visits the operands of the step itself, in order, but not those of steps in its bodies. The
	// visitor may replace variables.
	operands(p *Plan, v visitor)

	// bodies returns the lists of steps inside, or nil.
	bodies() []*[]Step
}

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

// Bodies returns the lists of steps inside a step of control flow, or nil.
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

// argSizes visits the sizes in an argument.
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

// writes reports whether x is an output of the call's node.
func (c *Call) writes(x *ir.Value) bool { return slices.Contains(c.Node.Out, x) }

func (*Call) bodies() []*[]Step { return nil }

// Grow makes room for a variable of a size that is now known.
type Grow struct{ Var *Var }

func (s *Grow) operands(_ *Plan, v visitor) {
	v.dims(s.Var.Len)
	v.use(&s.Var, Resize)
}

func (*Grow) bodies() []*[]Step { return nil }

// Copy copies the content and the size of src to dst.
type Copy struct {
	Dst, Src *Var

	to, from *ir.Value // the values in the variables, or nil if that does not matter
}

func (s *Copy) operands(_ *Plan, v visitor) {
	v.useAs(&s.Src, s.from, Read)
	v.useAs(&s.Dst, s.to, Write)
}

func (*Copy) bodies() []*[]Step { return nil }

// Bind assigns values to symbols, all at once.
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

// If runs one of two lists of steps.
type If struct {
	Node       *ir.Node
	Cond       *Var
	Then, Else []Step
}

func (s *If) operands(_ *Plan, v visitor) { v.use(&s.Cond, Read) }

func (s *If) bodies() []*[]Step { return []*[]Step{&s.Then, &s.Else} }

// Loop runs its body while Cond is true, at most Trips times.
type Loop struct {
	Node  *ir.Node
	Trips *Var // nil: no limit
	Cond  *Var // holds the condition, before and after each iteration; nil: always
	Iter  *Var // the number of the iteration; nil: unused
	Start []Step
	Body  []Step
	Count string // the symbol of the number of iterations; "": unused
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

// Append appends the value of one iteration to Dst.
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

// Slice makes Dst the current row of Src.
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

// Row copies Src to the current row of Dst.
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
