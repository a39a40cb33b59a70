package ir

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Module is a whole program.
type Module struct {
	Name   string
	File   string         // origin, for messages
	Opsets map[string]int // operator set versions by domain; "" is ONNX's own
	Main   *Func
	Funcs  []*Func    // local functions, until they are inlined
	Meta   []Metadata // metadata of the file, in its order

	Training []*Training // training information of the file

	syms names // every symbol name in use; see FreshSym
	vals names // every value name in use; see FreshName

	elided map[*tensor.Tensor]string // hashes of contents that the text form omitted
	data   map[string]bool           // symbols that stand for elements of tensors; see FromData
}

// Metadata is a key and a value of a file's metadata.
type Metadata struct{ Key, Value string }

// Func is a function: the graph itself, or a local function of the model.
type Func struct {
	Name     string
	Domain   string
	Overload string
	Attrs    []string // names of its attributes, for a local function
	Defaults Attrs    // default values of attributes
	Opsets   map[string]int
	Body     *Region
	State    []*State // state variables
}

// State is a variable that persists between runs: Param is its value at the start of a run, Next its value at
// the end. Param is defined by the State and is not among the body's parameters. Next is any value of the
// body and need not be one of its results.
type State struct {
	Kind  StateKind
	Param *Value
	Next  *Value
	Init  *tensor.Tensor // nil: zero
}

// StateKind is the purpose of a state variable.
type StateKind string

// The kinds of state.
const (
	Parameter     StateKind = "parameter"      // changed by training
	OptimizerSlot StateKind = "optimizer_slot" // moments, velocities, step counts
	Statistic     StateKind = "statistic"      // running mean and variance
	RandomCounter StateKind = "random_counter" // position in a random stream
	Average       StateKind = "average"        // running average of a parameter
	Gradient      StateKind = "gradient"       // of a parameter, between two halves of a step
)

// Region is a list of nodes that run in order, with its parameters and results. A region may read any value
// defined before the node that it belongs to.
type Region struct {
	Name    string // the attribute that held it: "then_branch"
	Params  []*Value
	Nodes   []*Node
	Results []*Value
}

// Value is a value with a single definition: by a node, as a parameter of a region, by a [State], or as a
// constant. Constants are in no list; they are reached through their readers.
type Value struct {
	Name  string
	Type  Type
	Def   *Node          // the node that defines it; nil for parameters, states and constants
	Const *tensor.Tensor // the content, if it is a constant

	// Elems holds the known elements of a small integer tensor, by position. ElemSyms names the elements that
	// are symbols because they are known only when the value is computed ("" for the others). The definition
	// of the value binds these symbols.
	Elems    []Dim
	ElemSyms []string

	Doc string // documentation from the file
}

// Node is one operation.
type Node struct {
	Op      string
	Domain  string // "" is ONNX's own
	Name    string
	In      []*Value // nil for an omitted optional input
	Out     []*Value // nil for an omitted optional output
	Attrs   Attrs
	Regions []*Region
	Version int      // the operator set version that defines its meaning
	Syms    []string // symbols in its outputs' shapes that it binds
	Class   string   // the peer class it runs on; "" until it is placed
	Pos     string   // the author's file:line, if known
	Local   bool     // it calls a local function of the module
	Over    string   // overload of that function
}

// IsConst reports whether the content of v is known.
func (v *Value) IsConst() bool { return v != nil && v.Const != nil }

// Arg returns input i, or nil if it is omitted.
func (n *Node) Arg(i int) *Value {
	if i < len(n.In) {
		return n.In[i]
	}
	return nil
}

// Res returns output i, or nil if it is omitted.
func (n *Node) Res(i int) *Value {
	if i < len(n.Out) {
		return n.Out[i]
	}
	return nil
}

// Region returns the region with the given name, or nil.
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

// String returns the node's name as it appears in messages: node "conv_1" (Conv).
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

// String returns the function's name as it appears in messages: function "local:Twice".
func (f *Func) String() string {
	s := f.Name
	if f.Domain != "" {
		s = f.Domain + ":" + s
	}
	if f.Overload != "" {
		s += ":" + f.Overload
	}
	return fmt.Sprintf("function %q", s)
}

// NewConst returns a new constant value.
func NewConst(name string, t *tensor.Tensor) *Value {
	return &Value{Name: name, Type: TensorOf(t.DType, Cs(t.Shape...)...), Const: t}
}

// Walk calls f for every node of r and of the regions inside it. Outer nodes come before inner ones.
func (r *Region) Walk(f func(n *Node)) {
	for _, n := range r.Nodes {
		f(n)
		for _, in := range n.Regions {
			in.Walk(f)
		}
	}
}

// Values calls f for every value that r and the regions inside it define. Parameters come first.
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

// AllFuncs returns the main function and the local functions.
func (m *Module) AllFuncs() []*Func { return append([]*Func{m.Main}, m.Funcs...) }

// Values calls yield for every value that the function defines, except constants.
func (f *Func) Values(yield func(v *Value)) {
	for _, s := range f.State {
		yield(s.Param)
	}
	f.Body.Values(yield)
}

// defaultName returns the name of a node without one in its text: that of its first output.
func (n *Node) defaultName() string {
	if v := n.Res(0); v != nil {
		return v.Name
	}
	return ""
}

// opset returns the version of a node without one in its text.
func (m *Module) opset(f *Func, domain string) int {
	if v, ok := f.Opsets[domain]; ok {
		return v
	}
	return m.Opsets[domain]
}
