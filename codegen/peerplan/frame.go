package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Frame is the memory of one execution of a module on a peer: a field for each value that outlives a block.
// It has a method for each of the module's blocks.
type Frame struct {
	Plan    *Plan
	Module  *partitioner.Module
	Index   int
	Type    string // such as serverFrame
	Const   string // such as moduleServer, its index
	File    string // the file that declares it; "" for a child, which is in its parent's file
	Kept    []*Var // fields that snapshots contain
	Scratch []*Var // fields that only reuse memory
	Rest    []*Var // values other than fields that steps read
	Tasks   []*Task
	Blocks  []*Block

	at   map[*ir.Value]*Var
	read map[*ir.Value]bool // values read by a step of the frame itself
}

// Task is a command: the type of the frame's memory while the command runs.
type Task struct {
	Cut   *partitioner.Cut
	Type  string // such as serverTrain
	Step  *partitioner.Step
	Folds []*partitioner.Step // the folds that run first
}

// Block lists what the method of a block does after its steps.
type Block struct {
	*partitioner.Block
	Const  string  // such as blockAggregate: its index, and the name of its method
	Tells  []Shape // expected shapes of contributions, for aggregators
	Admits []Shape // shapes of contributions that an aggregator checks
	Drops  []*Var  // unused fields that may be large
}

// Shape is a value together with the slot of the component that is told its shape.
type Shape struct {
	Slot  *Slot
	Value *ir.Value
}

func (f *Frame) eachStep(do func(s *partitioner.Step)) {
	eachStep(f.Module, func(_ *partitioner.Block, s *partitioner.Step) { do(s) })
}

// CutsOf returns the cut points of the given kinds, ordered by kind.
func (f *Frame) CutsOf(kinds ...partitioner.CutKind) []*partitioner.Cut {
	var out []*partitioner.Cut
	for _, kind := range kinds {
		for _, c := range f.Module.Cuts {
			if c.Kind == kind {
				out = append(out, c)
			}
		}
	}
	return out
}

// Brings returns the field that a cut point sets, or nil if the received value has no reader.
func (f *Frame) Brings(c *partitioner.Cut) *Var {
	if len(c.Values) == 0 || c.Values[0] == nil {
		return nil
	}
	if x := f.at[c.Values[0]]; x.IsField() {
		return x
	}
	return nil
}

// At returns the location of a value. It is nil for a constant, and for a value that no step of the frame
// reads or keeps.
func (f *Frame) At(v *ir.Value) *Var { return f.at[v] }

// Has reports whether a value belongs to the frame: a field, or the sender of a fill.
func (f *Frame) Has(v *ir.Value) bool {
	x := f.at[v]
	return x.IsField() || x != nil && x.Place == Sender
}

// IsRead reports whether a step reads a value, or a field keeps it.
func (f *Frame) IsRead(v *ir.Value) bool { return f.read[v] || f.at[v].IsField() }

// Root returns the value of which v is another name, or v itself.
func (f *Frame) Root(v *ir.Value) *ir.Value {
	for f.at[v] != nil && f.at[v].Place == Same {
		v = f.at[v].Of
	}
	return v
}

// Owns reports whether a value's memory has no other owner once it is set: it is a field that lives as long
// as its execution, or the producer has given it away.
func (f *Frame) Owns(v *ir.Value) bool {
	v = f.Root(v)
	x := f.at[v]
	return x != nil && x.Place == Kept || isGiven(v)
}

// Borrows reports whether a value is a tensor that a component has returned in memory that the component may
// keep.
func (f *Frame) Borrows(v *ir.Value) bool {
	x := f.at[v]
	return x != nil && x.Place == Local && v.Type.Kind == ir.Tensor && !IsScalar(v.Type)
}

// addField makes a value a field, unless it already has a place.
func (f *Frame) addField(list []*Var, v *ir.Value, place Place) []*Var {
	if f.at[v] != nil {
		return list
	}
	x := &Var{Value: v, Place: place, Given: isGiven(v)}
	f.at[v] = x
	return append(list, x)
}
