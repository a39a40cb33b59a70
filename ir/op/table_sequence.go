package op

// sequenceOps are control flow, sequences, optionals, strings and the
// operators of classic machine learning.
var sequenceOps = []*Op{
	ConcatFromSequence,
	If,
	Loop,
	Optional,
	OptionalGetElement,
	OptionalHasElement,
	Scan,
	SequenceAt,
	SequenceConstruct,
	SequenceEmpty,
	SequenceErase,
	SequenceInsert,
	SequenceLength,
	SequenceMap,
	SplitToSequence,
}
