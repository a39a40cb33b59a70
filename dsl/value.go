package dsl

import "github.com/bbgen/bbgen/ir"

// Value is a value that a peer has at run time: a tensor, peers, or an event. The zero Value stands for an
// optional input that is omitted.
type Value struct{ *value }

type value struct {
	ir    *ir.Value
	fn    *function
	class string // of the peers that have it; "" for a constant, which all have
	peers *class // the class, if the value is a set of peers or a peer
	bad   bool   // invalid, after an error that has been reported

	branch *branch    // the branch that computes it, or nil
	inside *ir.Region // the region of that branch: only nodes in it can read the value

	input *input   // the input that this value is, or nil
	send  *sending // the NetOut that returned this value, or nil
}

// Type returns the value's type as bbgen prints it, such as float32[batch,784].
func (v Value) Type() string {
	if v.value == nil || v.bad {
		return "?"
	}
	return v.ir.Type.String()
}

// Shape returns the sizes of the value's axes, with −1 for a variable size. It is nil if the rank is unknown.
func (v Value) Shape() []int {
	if v.value == nil || v.bad || v.ir.Type.Kind != ir.Tensor || !v.ir.Type.Ranked {
		return nil
	}
	shape := make([]int, len(v.ir.Type.Shape))
	for i, d := range v.ir.Type.Shape {
		n, ok := d.Const()
		if !ok {
			n = -1
		}
		shape[i] = n
	}
	return shape
}

// class is a class of peers, given by its name or as the senders of an input. If the peers are named at run
// time, it may be the class with the input that the edge feeds.
type class struct {
	name  string
	input *input
	named bool
}

// unknownClass is the class of a value sent to the sender of another value, which may be a peer of any class.
const unknownClass = "?"

func (c *class) String() string {
	if c.name == "" {
		return unknownClass
	}
	return c.name
}
