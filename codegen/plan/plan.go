// Package plan decides how a graph runs: which kernels are called in which order, and where each value is
// stored. Its result is plain data, which package codegen prints.
//
// [Make] runs these stages on a function:
//
//	builder, nodes   make steps of nodes
//	prune            drops steps with unused results
//	chains, group    join elementwise calls to chains (chain_make, walk)
//	lives, share     find how long variables are needed, and let operators write over their inputs (merge)
//	state, split     place the states of a training step
//	roll             makes blocks of repeated steps (roll_token, roll_find, roll_match)
//	alloc, arena     place variables that are needed at different times in the same memory (space, full)
//	verify           goes through the steps as a run does
//
// step.go says what a step is, steps.go lists the kinds. memory.go reports the use of memory.
package plan

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
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

	target      *target.Target  // the machine that choices are made for
	half        bool            // half of a split step: gradients are states
	longVectors map[string]bool // the unknown lengths of vectors that are long

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

// Var returns the variable of v, or nil if v is not read.
func (p *Plan) Var(v *ir.Value) *Var { return p.byValue[v] }

// align is the alignment of everything in the arena and in the weights.
const align = 64

// maxArena is the largest size of an arena in bytes.
const maxArena = min(1<<38, math.MaxInt/2)

// bytes returns the size of x in the arena.
func (x *Var) bytes() int {
	n, _ := x.Len.Const()
	size := x.Type.Elem.Size()
	if n < 0 || n > maxArena/max(size, 1) {
		return -1
	}
	return (n*size + align - 1) / align * align
}

// outputVars returns the variables that are outputs of the function, or are copied to one.
func (p *Plan) outputVars() map[*Var]bool {
	out := map[*Var]bool{}
	for _, o := range p.Outputs {
		for _, x := range []*Var{o.Var, o.Source} {
			if x != nil {
				out[x] = true
			}
		}
	}
	return out
}

// StateBytes returns the size of the memory of all states. The first filled bytes hold initial values; the
// rest is initially zero.
func (p *Plan) StateBytes() (all, filled int) {
	for _, s := range p.States {
		all = s.Off + s.Var.bytes()
		if s.Init != nil {
			filled = all
		}
	}
	return all, filled
}

// Bytes returns the size of a state's memory, which is a multiple of the alignment.
func (s *State) Bytes() int { return s.Var.bytes() }

// Parameters returns the states that are parameters, in order.
func (p *Plan) Parameters() (out []*State) {
	for _, s := range p.States {
		if s.Kind == ir.Parameter {
			out = append(out, s)
		}
	}
	return out
}
