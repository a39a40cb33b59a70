package plan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
)

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
	Operands(c.Call, func(x *ir.Value) {
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
func (c *Call) writes(x *ir.Value) bool { return x.Def == c.Node }

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

// nodeOf returns the name of a step's node, or "".
func nodeOf(s Step) string {
	switch s := s.(type) {
	case *Call:
		return s.Node.String()
	case *Chain:
		return s.Node().String()
	case *If:
		return s.Node.String()
	case *Loop:
		return s.Node.String()
	case *Scan:
		return s.Node.String()
	}
	return ""
}
