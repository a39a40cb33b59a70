package tensor

// Value is the value of a graph's input or output: a *[Tensor], a *[Sequence], an *[Optional], a *[Map] or
// *[Maps]. A nil Value is an absent input or output.
type Value interface{ isValue() }

// Sequence is a list of values of one kind.
type Sequence struct {
	Elem  DType   // dtype of the tensors in it, or of its maps' values, at any depth
	Items []Value // *Tensor or *Map, or *Sequence and *Optional when nested
}

// Optional is a value that may be missing. That differs from an absent input: operators can test for it.
type Optional struct {
	Value Value // nil when there is none
}

func (*Tensor) isValue()   {}
func (*Sequence) isValue() {}
func (*Optional) isValue() {}
