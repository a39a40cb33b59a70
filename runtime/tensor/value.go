package tensor

// Value is what a graph value can be: a *[Tensor], a *[Sequence], an *[Optional],
// a *[Map] or *[Maps]. A nil Value is one that is absent.
type Value interface{ isValue() }

// Sequence is a list of values of one kind.
type Sequence struct {
	Elem  DType   // dtype of the tensors in it, or of its maps' values, at whatever depth
	Items []Value // *Tensor or *Map, or *Sequence and *Optional when nested
}

// Optional is a value that may be missing, which is not the same as an input
// that is absent: an operator can ask.
type Optional struct {
	Value Value // nil when there is none
}

func (*Tensor) isValue()   {}
func (*Sequence) isValue() {}
func (*Optional) isValue() {}
