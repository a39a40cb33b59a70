package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// Var is where the code of a frame finds a value, and what it may do with its memory.
type Var struct {
	Value *ir.Value
	Place Place
	Field string           // of Kept and Scratch
	Cut   *partitioner.Cut // of Sender
	Of    *ir.Value        // of Same: the other value

	// Given: what makes the value keeps nothing of its memory, so that it is stored
	// without a copy.
	Given bool

	// Stays, of Kept: the value is left where the host keeps it, until the parent of the
	// frame gathers it. It may be large.
	Stays bool

	// Until, of Kept: the block after which nobody reads the value; nil if there is no
	// such block.
	Until *partitioner.Block
}

// Place is where code finds a value.
type Place uint8

// The places of values.
const (
	Kept    Place = iota + 1 // a field of the frame, which is in snapshots
	Scratch                  // a field of the frame, which keeps its memory alone
	Sender                   // the engine has it: the peer that has filled a cut point
	Local                    // a variable of the block
	Same                     // where another value is
)

var placeNames = [...]string{Kept: "kept", Scratch: "scratch", Sender: "sender", Local: "local", Same: "same"}

// String returns the place as plans print it.
func (p Place) String() string { return placeNames[p] }

// IsField reports whether a value, which may have no place, is a field of the frame.
func (x *Var) IsField() bool { return x != nil && (x.Place == Kept || x.Place == Scratch) }

// At returns where a value is, nil if no step of the frame reads or keeps it, or if it is a
// constant.
func (f *Frame) At(v *ir.Value) *Var { return f.at[v] }

// Has reports whether a value is the frame's: a field, or who has filled a cut point.
func (f *Frame) Has(v *ir.Value) bool {
	x := f.at[v]
	return x.IsField() || x != nil && x.Place == Sender
}

// IsRead reports whether a step reads a value, or a field keeps it.
func (f *Frame) IsRead(v *ir.Value) bool { return f.read[v] || f.at[v].IsField() }

// Root returns the value that a value is another name of: itself, if it is none.
func (f *Frame) Root(v *ir.Value) *ir.Value {
	for f.at[v] != nil && f.at[v].Place == Same {
		v = f.at[v].Of
	}
	return v
}

// Owns reports whether a value's memory is nobody else's once it is set: that of a
// field that only lives as long as its execution, or of what was given away.
func (f *Frame) Owns(v *ir.Value) bool {
	v = f.Root(v)
	x := f.at[v]
	return x != nil && x.Place == Kept || isGiven(v)
}

// Borrows reports whether a value is a tensor that a component has just returned, in
// memory that the component may keep.
func (f *Frame) Borrows(v *ir.Value) bool {
	x := f.at[v]
	return x != nil && x.Place == Local && v.Type.Kind == ir.Tensor && !IsScalar(v.Type)
}

// isGiven reports whether a value is the result of a call that gives it away.
func isGiven(v *ir.Value) bool {
	o := PeerOp(v.Def)
	return o != nil && o.GivesAway
}

// placeRest finds the places of what is no field: other values, and variables of
// blocks.
func (f *Frame) placeRest() {
	f.eachStep(func(s *partitioner.Step) {
		if v, of := sameAs(s); v != nil && f.at[v] == nil {
			f.addRest(&Var{Value: v, Place: Same, Of: of})
		}
	})
	f.eachStep(func(s *partitioner.Step) {
		for _, v := range reads(s) {
			if f.at[v] == nil && !v.IsConst() && !IsTrigger(v) && !f.isChilds(s, v) {
				f.addRest(&Var{Value: v, Place: Local, Given: isGiven(v)})
			}
		}
	})
}

func (f *Frame) addRest(x *Var) { f.at[x.Value], f.Rest = x, append(f.Rest, x) }

// isChilds reports whether a step reads a value in the frames that it goes through.
func (f *Frame) isChilds(s *partitioner.Step, v *ir.Value) bool {
	return s.Fold != nil && f.Plan.frameOf[s.Fold].Has(v)
}

// sameAs is what a step gives another name, and the value that gets it; nil if the step
// does no such thing.
func sameAs(s *partitioner.Step) (v, of *ir.Value) {
	o := PeerOp(s.Node)
	switch {
	case o == nil:
		return nil, nil
	case o.Kind == op.KindOrder, o.Kind == op.KindService && o.Pass && !o.Held:
		if v := s.Node.Out[0]; v != nil && !IsTrigger(v) {
			return v, s.Node.In[0]
		}
	}
	return nil, nil
}
