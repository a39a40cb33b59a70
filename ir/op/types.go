package op

import "github.com/bbgen/bbgen/ir"

// TypeSet is a set of types that are not all tensors, and how messages name it.
type TypeSet struct {
	Name  string
	Holds func(t ir.Type) bool
}

// Takes reports whether t is of the set.
func (s TypeSet) Takes(t ir.Type) bool { return s.Holds(t) }

// String names the types as in "want a tensor".
func (s TypeSet) String() string { return s.Name }

// ofKind returns the values of one kind.
func ofKind(name string, k ir.Kind) TypeSet {
	return TypeSet{name, func(t ir.Type) bool { return t.Kind == k }}
}

// The values that are no tensors, or need not be.
var (
	ASequence        = ofKind("a sequence", ir.Sequence)
	AnOptional       = ofKind("an optional", ir.Optional)
	AMap             = ofKind("a map", ir.Map)
	TensorOrSequence = TypeSet{"a tensor or a sequence", func(t ir.Type) bool { return t.Kind == ir.Tensor || t.Kind == ir.Sequence }}
)
