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

// Frame is one execution of a module on a peer: a field for each value that outlives
// a block, and a block of code for each of the module's.
type Frame struct {
	Plan    *Plan
	Module  *partitioner.Module
	Index   int
	Type    string // serverFrame
	Const   string // moduleServer, its index
	File    string // where it stands; "" for a child, which stands where its parent does
	Kept    []*Var // fields, which are in snapshots
	Scratch []*Var // fields, for their memory alone
	Rest    []*Var // what steps read beside fields
	Tasks   []*Task
	Blocks  []*Block

	at   map[*ir.Value]*Var
	read map[*ir.Value]bool // by a step of its own
}

// Task is a command: what the frame is while it runs.
type Task struct {
	Cut   *partitioner.Cut
	Type  string // serverTrain
	Step  *partitioner.Step
	Folds []*partitioner.Step // what it folds first
}

// Block is what a block does beside its steps, when they are done.
type Block struct {
	*partitioner.Block
	Const  string  // blockAggregate: its index, and the method that runs it
	Tells  []Shape // to aggregators: the shape that contributions will have
	Admits []Shape // of what a peer has contributed, which an aggregator checks
	Drops  []*Var  // that may be large and that nobody reads any more
}

// Shape is a value whose shape the component in a slot is told.
type Shape struct {
	Slot  *Slot
	Value *ir.Value
}

// addFrames names the frames, their commands and the files that they stand in.
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

// addSenders places the peers that have filled cut points: the engine has them.
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
		for _, v := range slices.Concat(c.Args, c.Outs) { // what it is told the address of
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

// addFilled makes fields of what services fill in place: lists of peers, and what
// stores hold.
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

// addField makes a value a field, if it has no place yet.
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

// CutsOf returns the cut points of some kinds, kind by kind.
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

// Brings returns the field that a cut point sets, nil if nobody reads what it brings.
func (f *Frame) Brings(c *partitioner.Cut) *Var {
	if len(c.Values) == 0 || c.Values[0] == nil {
		return nil
	}
	if x := f.at[c.Values[0]]; x.IsField() {
		return x
	}
	return nil
}

// CutName is what a cut point is called.
func (p *Plan) CutName(c *partitioner.Cut) string {
	return strings.TrimPrefix(ident.Short(c.Name), p.Part.Class+".")
}

// ValueName returns a value's name without the class and the modules that it belongs to.
func (p *Plan) ValueName(v *ir.Value) string {
	return strings.TrimPrefix(ident.Short(v.Name), p.Part.Class+".")
}
