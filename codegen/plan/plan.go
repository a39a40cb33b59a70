// Package plan decides how a graph runs: which kernels are called in which order, and where each value is
// stored. Its result is plain data, which package codegen prints.
package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Plan describes how one function runs.
type Plan struct {
	Inputs  []*Port
	Outputs []*Port
	States  []*State
	Syms    []string // sizes that are known only at run time, in the order of their binding
	Vars    []*Var   // the variables, in the order of their definition
	Weights []*Weight
	Slots   map[tensor.DType]int // number of shared buffers of each element type
	Arena   int                  // bytes
	Steps   []Step
	Blocks  []*Block // lists of steps that the plan repeats

	byValue map[*ir.Value]*Var
	scratch map[*ir.Value]bool      // scratch memory of nodes, which is not in the graph
	carried map[*ir.Value]*ir.Value // the loop parameter that holds the final value
}

// Port is an input or an output of the function.
type Port struct {
	Value *ir.Value
	Var   *Var // nil for an output that is copied from Source at the end
	// Source is the value that is copied to the output: an input, a constant, or a value of two outputs.
	Source *Var
}

// State is a variable that persists between runs.
type State struct {
	*ir.State
	Var *Var
	Off int    // byte offset in the memory of states
	Of  *State // the parameter to which it belongs, in the second half of a split step; otherwise nil
}

// Var is a place for values. It holds several values if these are never live at the same time, or are the
// same data with different shapes.
type Var struct {
	Value *ir.Value // the first value that it holds, which names it
	Place Place
	Type  ir.Type
	Len   ir.Dim // number of elements of a tensor
	Off   int    // Arena: byte offset; Slot: number of the buffer of the element type
	Index int    // Input, Output: number of the port; Constant: of the weight; Kept: of the state

	lives    []span // spans in which its content is needed
	repeated bool   // it belongs to a block and has a life in each repetition
	in       int    // the last repetition that used it
}

// span is a range of steps from a definition to the last use.
type span struct{ from, to int }

// Place is the kind of memory of a variable.
type Place uint8

// The kinds of memory.
const (
	Arena    Place = iota // at a fixed offset of the arena
	Slot                  // in a growing buffer shared with other variables
	Own                   // in a growing buffer of its own
	View                  // none: it is a part of another variable
	Input                 // in the caller's inputs
	Output                // in the caller's outputs
	Constant              // in the weights
	Kept                  // in memory that persists between runs
)

// Weight is a constant that kernels read.
type Weight struct {
	Name string
	Data *tensor.Tensor
	Off  int // byte offset in the weights file; -1 for strings

	// Maker is the function of package cpu that converts the data, with the parameters Sizes, to the form
	// that kernels read; "" for no conversion.
	Maker string
	Sizes []int

	// Runs is the data as encoded by [tensor.AppendRuns], or nil if that is not much shorter.
	Runs []byte
}

// Var returns the variable of v, or nil if v is not read.
func (p *Plan) Var(v *ir.Value) *Var { return p.byValue[v] }

// Make plans a function. Its nodes must have types and be expanded.
func Make(f *ir.Func) (*Plan, error) { return makePlan(f, false) }

// Flat is like [Make] without chains and blocks: each call processes all elements. It is for callers that
// execute the calls instead of printing them.
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

// finish removes unused steps and variables, and places the variables.
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
	b.assignStates()
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
