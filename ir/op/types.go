package op

import "github.com/bbgen/bbgen/ir"

// TypeSet is a set of types that are not all tensors, with a name for messages.
type TypeSet struct {
	Name  string
	Holds func(t ir.Type) bool
}

// Takes reports whether t is in the set.
func (s TypeSet) Takes(t ir.Type) bool { return s.Holds(t) }

// String describes the types, as in "want a tensor".
func (s TypeSet) String() string { return s.Name }

// ofKind returns the set of all types of a kind.
func ofKind(name string, k ir.Kind) TypeSet {
	return TypeSet{name, func(t ir.Type) bool { return t.Kind == k }}
}

// Sets that contain types other than tensors.
var (
	ASequence        = ofKind("a sequence", ir.Sequence)
	AnOptional       = ofKind("an optional", ir.Optional)
	AMap             = ofKind("a map", ir.Map)
	TensorOrSequence = TypeSet{"a tensor or a sequence", func(t ir.Type) bool { return t.Kind == ir.Tensor || t.Kind == ir.Sequence }}
)
