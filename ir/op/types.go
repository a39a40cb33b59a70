package op

import "github.com/bbgen/bbgen/ir"

// want is a set of types that are not all tensors.
type want struct {
	what string
	ok   func(t ir.Type) bool
}

func (w want) takes(t ir.Type) bool { return w.ok(t) }

// String names the types as in "want a tensor".
func (w want) String() string { return w.what }

// kind is the values of one kind.
func kind(what string, k ir.Kind) want {
	return want{what, func(t ir.Type) bool { return t.Kind == k }}
}

// The values that are no tensors, or need not be.
var (
	aSequence        = kind("a sequence", ir.Sequence)
	anOptional       = kind("an optional", ir.Optional)
	aMap             = kind("a map", ir.Map)
	tensorOrSequence = want{"a tensor or a sequence", func(t ir.Type) bool { return t.Kind == ir.Tensor || t.Kind == ir.Sequence }}
)
