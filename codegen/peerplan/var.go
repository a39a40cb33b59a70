package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// Var describes the location of a value in the code of a frame, and the ownership of its memory.
type Var struct {
	Value *ir.Value
	Place Place
	Field string           // of Kept and Scratch
	Cut   *partitioner.Cut // of Sender
	Of    *ir.Value        // of Same: the other value

	// Given: the producer of the value does not keep its memory, so that it is stored without a copy.
	Given bool

	// Stays, of Kept: the value, which may be large, remains in the host's storage until the parent of the
	// frame gathers it.
	Stays bool

	// Until, of Kept: the block after which the value is unused, or nil.
	Until *partitioner.Block
}

// Place is the location of a value.
type Place uint8

// The locations of values.
const (
	Kept    Place = iota + 1 // a field of the frame that snapshots contain
	Scratch                  // a field of the frame that only reuses memory
	Sender                   // the peer that has filled a cut point, which the engine stores
	Local                    // a variable of the block
	Same                     // the location of another value
)

var placeNames = [...]string{Kept: "kept", Scratch: "scratch", Sender: "sender", Local: "local", Same: "same"}

// String returns the place as plans print it.
func (p Place) String() string { return placeNames[p] }

// IsField reports whether a value is a field of the frame. The receiver may be nil.
func (x *Var) IsField() bool { return x != nil && (x.Place == Kept || x.Place == Scratch) }

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

// isGiven reports whether a value is the result of a call that gives its memory away.
func isGiven(v *ir.Value) bool {
	o := PeerOp(v.Def)
	return o != nil && o.GivesAway
}

// placeRest places the values that are not fields, such as variables of blocks.
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

// isChilds reports whether a step reads a value from the child frames that it folds.
func (f *Frame) isChilds(s *partitioner.Step, v *ir.Value) bool {
	return s.Fold != nil && f.Plan.frameOf[s.Fold].Has(v)
}

// sameAs returns a value of a step that is another name, and the value that it names. It returns nil if the
// step does not rename.
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
