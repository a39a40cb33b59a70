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

// Type returns the value's type as bbgen prints it: float32[batch,784].
func (v Value) Type() string {
	if v.value == nil || v.bad {
		return "?"
	}
	return v.ir.Type.String()
}

// Shape returns the sizes of the value's axes, −1 where a size may vary. It is nil if
// nothing is known of them.
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

// class is a class of peers by name, or as whoever feeds an input. Of peers that are
// named when the program runs it may be the one that has the input that is fed.
type class struct {
	name  string
	input *input
	named bool
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
