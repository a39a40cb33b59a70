package ir

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Module is a whole program.
type Module struct {
	Name   string
	File   string         // where it came from, for messages
	Opsets map[string]int // operator set versions by domain; "" is ONNX's own
	Main   *Func
	Funcs  []*Func    // local functions, until they are inlined
	Meta   []Metadata // what the file says of itself, in its order

	Training []*Training // what the file says of training

	syms map[string]bool // every symbol name in use; see FreshSym
	vals map[string]bool // every value name in use; see FreshName

	elided map[*tensor.Tensor]string // hash of the content that the text form did not give
	data   map[string]bool           // symbols that stand for elements of tensors; see FromData
}

// Metadata is a key and a value that the file carries along.
type Metadata struct{ Key, Value string }

// Func is a function: the graph itself, or a local function of the model.
type Func struct {
	Name     string
	Domain   string
	Overload string
	Attrs    []string // names of its attributes, for a local function
	Defaults Attrs    // values of attributes that a caller may leave out
	Opsets   map[string]int
	Body     *Region
	State    []*State // what it keeps from one run to the next
}

// State is a variable that outlives a run: Param is its value when the run
// begins, Next its value when the run has ended. Param is defined by the State
// and is none of the body's parameters; Next is any value of the body and need
// not be one of its results.
type State struct {
	Kind  StateKind
	Param *Value
	Next  *Value
	Init  *tensor.Tensor // nil: zero
}

// StateKind says what a state variable is for.
type StateKind string

// The kinds of state.
const (
	Parameter     StateKind = "parameter"      // what training changes
	OptimizerSlot StateKind = "optimizer_slot" // moments, velocities, step counts
	Statistic     StateKind = "statistic"      // running mean and variance
	RandomCounter StateKind = "random_counter" // position in a random stream
	Average       StateKind = "average"        // running average of a parameter
	Gradient      StateKind = "gradient"       // of a parameter, between two halves of a step
)

// Region is a list of nodes that run in order, with the values that come in
// and those that go out. A region may read any value defined before the node
// it belongs to.
type Region struct {
	Name    string // the attribute that held it: "then_branch"
	Params  []*Value
	Nodes   []*Node
	Results []*Value
}

// Value is defined once: by a node, as a region's parameter, by a [State], or as
// a constant. A constant belongs to whoever reads it: no list holds it.
type Value struct {
	Name  string
	Type  Type
	Def   *Node          // the node that defines it; nil for parameters, states and constants
	Const *tensor.Tensor // the content, if it is a constant

	// Elems is what is known of the content of a small integer tensor, by
	// position. ElemSyms names the elements that are symbols because they are
	// known only when the value is computed ("" for the others): wherever the
	// value is defined, these symbols are bound.
	Elems    []Dim
	ElemSyms []string

	Doc string // what the file says of it
}

// Node is one operation.
type Node struct {
	Op      string
	Domain  string // "" is ONNX's own
	Name    string
	In      []*Value // nil where an optional input is left out
	Out     []*Value // nil where an optional output is left out
	Attrs   Attrs
	Regions []*Region
	Version int      // the operator set version that gives it its meaning
	Syms    []string // symbols of its outputs' shapes that it alone can bind
	Class   string   // the peer class it runs on; "" until it is placed
	Pos     string   // the author's file:line, where known
	Local   bool     // it calls a local function of the module
	Over    string   // overload of that function
}

// IsConst reports whether the content of v is known.
func (v *Value) IsConst() bool { return v != nil && v.Const != nil }

// Arg returns input i, nil if it is left out.
func (n *Node) Arg(i int) *Value {
	if i < len(n.In) {
		return n.In[i]
	}
	return nil
}

// Res returns output i, nil if it is left out.
func (n *Node) Res(i int) *Value {
	if i < len(n.Out) {
		return n.Out[i]
	}
	return nil
}

// Region returns the region of the given name, nil if there is none.
func (n *Node) Region(name string) *Region {
	for _, r := range n.Regions {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Is reports whether n is ONNX's operator op.
func (n *Node) Is(op string) bool { return n != nil && n.Op == op && n.Domain == "" }

// String names the node as messages do: node "conv_1" (Conv).
func (n *Node) String() string {
	op := n.Op
	if n.Domain != "" {
		op = n.Domain + ":" + op
	}
	if n.Name == "" && len(n.Out) > 0 && n.Out[0] != nil {
		return fmt.Sprintf("node of %q (%s)", n.Out[0].Name, op)
	}
	return fmt.Sprintf("node %q (%s)", n.Name, op)
}

// NewConst makes a constant value.
func NewConst(name string, t *tensor.Tensor) *Value {
	return &Value{Name: name, Type: TensorOf(t.DType, Cs(t.Shape...)...), Const: t}
}

// Walk calls f for every node of r and of the regions inside it, outer nodes
// before the inner ones.
func (r *Region) Walk(f func(n *Node)) {
	for _, n := range r.Nodes {
		f(n)
		for _, in := range n.Regions {
			in.Walk(f)
		}
	}
}

// Values calls f for every value that r defines, parameters first, and of the
// regions inside it.
func (r *Region) Values(f func(v *Value)) {
	for _, p := range r.Params {
		f(p)
	}
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			in.Values(f)
		}
		for _, v := range n.Out {
			if v != nil {
				f(v)
			}
		}
	}
}

// AllFuncs returns the main function and the local ones.
func (m *Module) AllFuncs() []*Func { return append([]*Func{m.Main}, m.Funcs...) }

// Values calls f for every value that the function defines, constants apart.
func (f *Func) Values(yield func(v *Value)) {
	for _, s := range f.State {
		yield(s.Param)
	}
	f.Body.Values(yield)
}

// Consts returns the constants that the function reads, in the order of their
// first use.
func (f *Func) Consts() []*Value {
	var out []*Value
	seen := map[*Value]bool{}
	f.reads(func(v *Value) {
		if v.IsConst() && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	})
	return out
}
