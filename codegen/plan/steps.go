package plan

import (
	"fmt"

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

func (*Call) order() order { return straight }

func (c *Call) binds() []string { return c.Binds }

func (c *Call) node() *ir.Node { return c.Node }

func (c *Call) kernels() []*Call { return []*Call{c} }

// Grow makes room for a variable of a size that is now known.
type Grow struct{ Var *Var }

func (s *Grow) operands(_ *Plan, v visitor) {
	v.dims(s.Var.Len)
	v.use(&s.Var, Resize)
}

func (*Grow) bodies() []*[]Step { return nil }

func (*Grow) order() order { return straight }

func (*Grow) binds() []string { return nil }

func (*Grow) node() *ir.Node { return nil }

func (*Grow) kernels() []*Call { return nil }

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

func (*Copy) order() order { return straight }

func (*Copy) binds() []string { return nil }

func (*Copy) node() *ir.Node { return nil }

func (*Copy) kernels() []*Call { return nil }

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
		default:
			panic(fmt.Sprintf("BUG: a symbol is bound to a %T", x))
		}
	}
}

func (*Bind) bodies() []*[]Step { return nil }

func (*Bind) order() order { return straight }

func (s *Bind) binds() []string { return s.Syms }

func (*Bind) node() *ir.Node { return nil }

func (*Bind) kernels() []*Call { return nil }

// If runs one of two lists of steps.
type If struct {
	Node       *ir.Node
	Cond       *Var
	Then, Else []Step
}

func (s *If) operands(_ *Plan, v visitor) { v.use(&s.Cond, Read) }

func (s *If) bodies() []*[]Step { return []*[]Step{&s.Then, &s.Else} }

func (*If) order() order { return either }

func (*If) binds() []string { return nil }

func (s *If) node() *ir.Node { return s.Node }

func (*If) kernels() []*Call { return nil }

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

func (*Loop) order() order { return repeated }

func (s *Loop) binds() []string {
	if s.Count == "" {
		return nil
	}
	return []string{s.Count}
}

func (s *Loop) node() *ir.Node { return s.Node }

func (*Loop) kernels() []*Call { return nil }

// Clear empties a variable that iterations append to.
type Clear struct{ Var *Var }

func (s *Clear) operands(_ *Plan, v visitor) { v.use(&s.Var, Write) }

func (*Clear) bodies() []*[]Step { return nil }

func (*Clear) order() order { return straight }

func (*Clear) binds() []string { return nil }

func (*Clear) node() *ir.Node { return nil }

func (*Clear) kernels() []*Call { return nil }

// Append appends the value of one iteration to Dst.
type Append struct{ Dst, Src *Var }

func (s *Append) operands(_ *Plan, v visitor) {
	v.use(&s.Dst, Write)
	v.use(&s.Src, Read)
}

func (*Append) bodies() []*[]Step { return nil }

func (*Append) order() order { return straight }

func (*Append) binds() []string { return nil }

func (*Append) node() *ir.Node { return nil }

func (*Append) kernels() []*Call { return nil }

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

func (*Scan) order() order { return repeated }

func (*Scan) binds() []string { return nil }

func (s *Scan) node() *ir.Node { return s.Node }

func (*Scan) kernels() []*Call { return nil }

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

func (*Row) order() order { return straight }

func (*Row) binds() []string { return nil }

func (*Row) node() *ir.Node { return nil }

func (*Row) kernels() []*Call { return nil }
