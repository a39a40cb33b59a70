// Package plan decides how a graph runs: which kernels are called in which
// order, and where each value lives. Its result is plain data, which package
// codegen prints.
package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Plan is how one function runs.
type Plan struct {
	Inputs  []*Port
	Outputs []*Port
	States  []*State
	Syms    []string // sizes that are known only at run time, in the order they are bound
	Vars    []*Var   // what lives in the context, in the order of definition
	Weights []*Weight
	Slots   map[tensor.DType]int // how many shared buffers of each element type
	Arena   int                  // bytes
	Steps   []Step
	Blocks  []*Block // what steps of the plan repeat

	byValue map[*ir.Value]*Var
	scratch map[*ir.Value]bool      // memory of a node's own, which has no place in the graph
	carried map[*ir.Value]*ir.Value // the parameter that holds what a loop has in the end
}

// Port is an input or an output of the function.
type Port struct {
	Value *ir.Value
	Var   *Var // nil for an output that is copied from Source when all is done
	// Source is where a copied output comes from: an input, a constant, or a
	// value that two outputs share.
	Source *Var
}

// State is a variable that outlives a run.
type State struct {
	*ir.State
	Var *Var
	Off int // byte offset in the memory of all states
}

// Var is a place for values: several, if they never live at the same time or
// are the same data under different shapes.
type Var struct {
	Value *ir.Value // the first value it holds; it gives the name
	Place Place
	Type  ir.Type
	Len   ir.Dim // elements, of a tensor
	Off   int    // Arena: byte offset; Slot: which buffer of the element type
	Index int    // Input, Output: which port; Constant: which weight; Kept: which state

	lives    []span // when its content matters
	repeated bool   // it belongs to a block: it lives once in each repetition
	in       int    // the repetition that touched it last
}

// span is the steps from a definition to the last use.
type span struct{ from, to int }

// Place says where a variable lives.
type Place uint8

// The places of a variable.
const (
	Arena    Place = iota // at a fixed offset of the arena
	Slot                  // in a buffer that grows, shared with others
	Own                   // in a buffer that grows, of its own
	View                  // nowhere: it is a part of another variable
	Input                 // in the caller's inputs
	Output                // in the caller's outputs
	Constant              // in the weights
	Kept                  // in the memory that outlives the run
)

// Weight is a constant that kernels read.
type Weight struct {
	Name string
	Data *tensor.Tensor
	Off  int // byte offset in the weights file; -1 for strings

	// Maker is the function of package cpu that makes of the data and of Sizes
	// what kernels read; "" if they read the data.
	Maker string
	Sizes []int

	// Runs is the data as [tensor.AppendRuns] writes them, nil where that is not
	// much shorter.
	Runs []byte
}

// Var returns the place of v, nil if nothing reads it.
func (p *Plan) Var(v *ir.Value) *Var { return p.byValue[v] }

// Make plans a function. Its nodes have types and are expanded.
func Make(f *ir.Func) (*Plan, error) { return makePlan(f, false) }

// Flat is [Make] without chains and blocks: each call is one of all elements, for
// whoever makes the calls instead of printing them.
func Flat(f *ir.Func) (*Plan, error) { return makePlan(f, true) }

func makePlan(f *ir.Func, flat bool) (*Plan, error) {
	b := &builder{
		flat:    flat,
		Plan:    &Plan{Slots: map[tensor.DType]int{}, byValue: map[*ir.Value]*Var{}, scratch: map[*ir.Value]bool{}, carried: map[*ir.Value]*ir.Value{}},
		packed:  map[packKey]*Var{},
		outputs: map[*ir.Value]bool{},
		planned: map[*ir.Node]bool{},
	}
	for i, v := range f.Body.Params {
		if t := v.Type; t.Kind == ir.Sequence && t.Of.Kind == ir.Map {
			return nil, fmt.Errorf("input %q is %s: a list of maps can only be an output", v.Name, t)
		}
		b.Inputs = append(b.Inputs, &Port{Value: v, Var: b.place(v, Input, i)})
		b.bindShape(v)
		b.bindElems(v)
	}
	b.keepStates(f)
	for _, v := range f.Body.Results {
		b.outputs[v] = true
	}
	steps, err := b.region(f.Body)
	if err != nil {
		return nil, err
	}
	b.Steps = append(b.Steps, steps...)
	if err := b.checkStates(); err != nil {
		return nil, err
	}
	b.nextStates()
	if err := b.finish(f); err != nil {
		return nil, err
	}
	if err := b.Verify(); err != nil {
		return nil, fmt.Errorf("BUG: the plan of %q is wrong: %w", f.Name, err)
	}
	return b.Plan, nil
}

// finish drops what nobody reads and gives every variable its place.
func (b *builder) finish(f *ir.Func) error {
	for i, v := range f.Body.Results {
		b.Outputs = append(b.Outputs, b.output(v, i))
	}
	b.prune()
	if !b.flat {
		b.chains()
	}
	b.number()
	b.share()
	if !b.flat {
		b.roll()
	}
	b.number()
	return b.allocate()
}

// output makes the caller's slice the place of v, or plans a copy.
func (b *builder) output(v *ir.Value, i int) *Port {
	x := b.use(v)
	if x.Place != Arena && x.Place != Slot && x.Place != Own {
		return &Port{Value: v, Source: x}
	}
	x.Place, x.Index = Output, i
	return &Port{Value: v, Var: x}
}

func unsupported(v *ir.Value) error {
	return fmt.Errorf("value %q has type %s, which says too little to generate code", v.Name, v.Type)
}
