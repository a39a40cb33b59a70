package peerplan

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
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

// addFrames names the frames, their commands and their files.
func (p *Plan) addFrames(names scopes) {
	for i, m := range p.Part.Modules {
		f := &Frame{
			Plan: p, Module: m, Index: i, Type: names.types.Local(m.Name + " frame"),
			at: map[*ir.Value]*Var{}, read: map[*ir.Value]bool{},
		}
		if m.Parent == nil {
			f.File = names.files.Local(m.Name)
		}
		for _, b := range m.Blocks {
			f.Blocks = append(f.Blocks, &Block{Block: b})
		}
		f.addTasks(names)
		f.addSenders()
		p.Frames, p.frameOf[m] = append(p.Frames, f), f
	}
}

func (f *Frame) addTasks(names scopes) {
	for _, c := range f.Module.Cuts {
		if c.Kind != partitioner.Command {
			continue
		}
		t := &Task{Cut: c, Type: names.types.Local(f.Module.Name + " " + f.Plan.CutName(c))}
		f.eachStep(func(s *partitioner.Step) {
			if s.Cut == c {
				t.Step = s
			}
			if s.Fold != nil && (s.Into == c || s.Cut == c) {
				t.Folds = append(t.Folds, s)
			}
		})
		f.Tasks = append(f.Tasks, t)
	}
}

// addSenders places the senders of fills, which the engine stores.
func (f *Frame) addSenders() {
	for _, c := range f.Module.Cuts {
		if c.Sender != nil {
			x := &Var{Value: c.Sender, Place: Sender, Cut: c}
			f.at[c.Sender], f.Rest = x, append(f.Rest, x)
		}
	}
}

func (f *Frame) eachStep(do func(s *partitioner.Step)) {
	eachStep(f.Module, func(_ *partitioner.Block, s *partitioner.Step) { do(s) })
}

// collect finds the values that steps read, and those that are fields.
func (f *Frame) collect(names scopes) {
	for _, v := range f.Module.Fields {
		if !IsTrigger(v) {
			f.Kept = f.addField(f.Kept, v, Kept)
		}
	}
	f.eachStep(func(s *partitioner.Step) {
		for _, v := range reads(s) {
			f.read[v] = true
			if v.IsConst() && len(v.Const.Shape) > 0 {
				f.Plan.addConstant(v, names)
			}
		}
		c := ComputeOf(s)
		if c == nil {
			return
		}
		for _, v := range slices.Concat(c.Args, c.Outs) { // their addresses are passed
			if !v.IsConst() && (IsScalar(v.Type) || slices.Contains(c.Outs, v)) {
				f.Scratch = f.addField(f.Scratch, v, Scratch)
			}
		}
	})
	f.eachStep(f.addFilled)
	for _, b := range f.Module.Blocks {
		f.addOverwritten(b.Steps)
	}
}

// addFilled makes fields of the values that services fill in place: lists of peers, and contents of stores.
func (f *Frame) addFilled(s *partitioner.Step) {
	if KindOf(s.Node) != op.KindService {
		return
	}
	for _, v := range s.Node.Out {
		if v != nil && (v.Type.Equal(peer.Peers) || PeerOp(s.Node).Held && !IsTrigger(v)) {
			f.Scratch = f.addField(f.Scratch, v, Scratch)
		}
	}
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

// nameFields gives fields the author's names.
func (f *Frame) nameFields() {
	s := ident.NewScope("peer")
	for _, b := range f.Blocks {
		s.Take(b.Const)
	}
	for _, x := range slices.Concat(f.Kept, f.Scratch) {
		x.Field = s.Local(f.Plan.ValueName(x.Value))
	}
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

// CutName returns the name of a cut point without its class.
func (p *Plan) CutName(c *partitioner.Cut) string {
	return strings.TrimPrefix(ident.Short(c.Name), p.Part.Class+".")
}

// ValueName returns the name of a value without its class and modules.
func (p *Plan) ValueName(v *ir.Value) string {
	return strings.TrimPrefix(ident.Short(v.Name), p.Part.Class+".")
}
