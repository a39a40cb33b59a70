package op

// sequenceOps are control flow, sequences, optionals, strings and the
// operators of classic machine learning.
var sequenceOps = []*Op{
	If,
	Loop,
	Scan,
}
