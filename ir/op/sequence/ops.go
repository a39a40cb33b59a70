package sequence

import "github.com/bbgen/bbgen/ir/op"

// Ops lists the operators of this family.
var Ops = []*op.Op{
	Box,
	ConcatFromSequence,
	Optional,
	OptionalGetElement,
	OptionalHasElement,
	SequenceAt,
	SequenceConstruct,
	SequenceEmpty,
	SequenceErase,
	SequenceInsert,
	SequenceLength,
	SequenceMap,
	SplitToSequence,
}
