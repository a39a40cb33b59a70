package forward

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A Case is one line of the table:
//
//	Gather@11(float32[2,3]=1,2,3,4,5,6, int64[1]=-1) axis=1 -> float32[2,1]=3,6
//
// The number after @ is the version of the operator set; without a number it is the newest. An operand is a
// value in the format of [parser], or _ if it is omitted. The text after "! " in place of outputs is the
// error with which the case does not compile, after the node's name. Some words among the attributes are
// options of the test:
//
//	~0.001     the allowed error of a number, relative to its size and absolutely
//	exact      floats must be equal, down to the sign of zero
//	shape      only types and shapes are compared: the values are random draws
//	constants  compiles only if the operands after the first are constants
//	static     compiles only if sizes are known
//
// A case that does not compile has its operands after the first as constants, and one output, unless it says:
//
//	fed        every operand is an input
//	symbolic   the operands of the first one's type and rank are inputs with symbols for sizes
//	outputs    all outputs of the operator are read
type Case struct {
	Place    string // file and line
	Text     string // the line
	Domain   string
	Op       string
	Version  int // 0: the newest
	In, Out  []tensor.Value
	Attrs    ir.Attrs
	Tol      float64 // 0: what the type allows
	Exact    bool
	Shape    bool
	Constant bool
	Static   bool
	Refused  string // the error with which it does not compile
	As       Form   // the form in which it does not compile
}

// Name returns the operator with its domain.
func (c *Case) Name() string {
	if c.Domain == "" {
		return c.Op
	}
	return c.Domain + ":" + c.Op
}

// Opset returns the version of the operator set that the case is written for.
func (c *Case) Opset() int {
	if c.Version > 0 {
		return c.Version
	}
	return op.NewestSet(c.Domain)
}

// Form selects the operands that are part of the model.
type Form int

// The forms of a case.
const (
	Fed      Form = iota // every operand is an input
	Weighted             // the operands after the first are constants
	Folded               // all are constants
	Symbolic             // operands of the first one's type and rank are inputs with symbols for sizes, the others constants
)

// String returns the form's name.
func (f Form) String() string { return [...]string{"fed", "weighted", "folded", "symbolic"}[f] }

// Forms returns the forms that a case has.
func (c *Case) Forms() []Form {
	out := []Form{Weighted, Folded}
	if !c.Constant {
		out = append(out, Fed)
	}
	if !c.Static && len(c.In) > 0 {
		out = append(out, Symbolic)
	}
	return out
}

// constant reports whether operand i, a tensor, is part of the model in form f.
func (c *Case) constant(f Form, i int, t *tensor.Tensor) bool {
	switch f {
	case Fed:
		return false
	case Weighted:
		return i > 0
	case Folded:
		return true
	}
	first, ok := c.In[0].(*tensor.Tensor)
	return ok && (first.DType != t.DType || len(first.Shape) != len(t.Shape))
}

// Module returns a program of cases with one version, each with its inputs and outputs, and the values of the
// inputs.
func Module(f Form, cases ...*Case) (*ir.Module, []tensor.Value) {
	m := &ir.Module{Name: "forward", File: "forward.onnx", Opsets: map[string]int{}, Main: &ir.Func{Name: "main", Body: &ir.Region{}}}
	var in []tensor.Value
	for i, c := range cases {
		m.Opsets[c.Domain] = c.Opset()
		in = append(in, c.add(m, f, fmt.Sprintf("c%d", i))...)
	}
	if _, ok := m.Opsets[""]; !ok {
		m.Opsets[""] = op.NewestSet("")
	}
	return m, in
}

// add puts the case's node into m.
func (c *Case) add(m *ir.Module, f Form, name string) []tensor.Value {
	body := m.Main.Body
	n := &ir.Node{Op: c.Op, Domain: c.Domain, Name: name, Version: c.Opset(), Attrs: slices.Clone(c.Attrs)}
	var in []tensor.Value
	for i, x := range c.In {
		name := fmt.Sprintf("%s_in%d", name, i)
		t, isTensor := x.(*tensor.Tensor)
		switch {
		case x == nil:
			n.In = append(n.In, nil)
		case isTensor && c.constant(f, i, t):
			n.In = append(n.In, ir.NewConst(name, t))
		default:
			v := &ir.Value{Name: name, Type: typeOf(x, f)}
			body.Params = append(body.Params, v)
			n.In = append(n.In, v)
			in = append(in, x)
		}
	}
	for i, x := range c.Out {
		if x == nil {
			n.Out = append(n.Out, nil)
			continue
		}
		v := &ir.Value{Name: fmt.Sprintf("%s_out%d", name, i), Def: n}
		n.Out = append(n.Out, v)
		body.Results = append(body.Results, v)
	}
	body.Nodes = append(body.Nodes, n)
	return in
}

// Wanted returns the expected values of the outputs that cases have.
func Wanted(cases ...*Case) []tensor.Value {
	var out []tensor.Value
	for _, c := range cases {
		for _, x := range c.Out {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	return out
}
