package dsl

import "github.com/bbgen/bbgen/ir"

// Value is what a peer has when it runs: a tensor, peers, that something has
// happened. The zero Value stands for an optional input that is left out.
type Value struct{ *value }

type value struct {
	ir    *ir.Value
	fn    *function
	class string // of the peers that have it; "" if all do: a constant
	peers *class // that it is a set or one of
	bad   bool   // something was wrong that has been reported

	input *input   // that it is
	send  *sending // that it is the other end of
}

// Type is the value's type as bbgen prints it: float32[batch,784].
func (v Value) Type() string {
	if v.value == nil || v.bad {
		return "?"
	}
	return v.ir.Type.String()
}

// class is a class of peers by name, or as whoever feeds an input.
type class struct {
	name  string
	input *input
}

// unknownClass is where a value lives that went to the sender of another one,
// which may be a peer of any class.
const unknownClass = "?"

func (c *class) String() string {
	if c.name == "" {
		return unknownClass
	}
	return c.name
}
