package peerplan

import (
	"github.com/bbgen/bbgen/ir"
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
