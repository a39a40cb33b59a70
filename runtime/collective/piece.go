package collective

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// piece is the bytes of a chunk. It holds a reference to their memory if that has a reference count.
type piece struct {
	data   []byte
	memory *tensor.Memory
}

// newPiece returns a piece of n bytes with arbitrary contents.
func newPiece(n int) piece {
	if !tensor.AreLarge(n) {
		return piece{aligned(n), nil}
	}
	m := tensor.NewMemory(n)
	return piece{m.Bytes()[:n:n], m}
}

// keep returns the data of a message for use after the call that delivers it. It copies them if their memory
// has no reference count, or is much larger than they are.
func (m *Message) keep() piece {
	if m.Memory == nil || 2*len(m.Data) < len(m.Memory.Bytes()) {
		return piece{slices.Clone(m.Data), nil}
	}
	m.Memory.Retain()
	return piece{m.Data, m.Memory}
}

// release releases the reference.
func (p *piece) release() {
	p.memory.Release()
	*p = piece{}
}

// mutable returns the piece for a use beyond the call that delivers it, in which it is overwritten: with another
// reference to its memory, or as a copy if that has no reference count.
func (p piece) mutable() piece {
	if p.memory == nil || !isAligned(p.data) {
		own := newPiece(len(p.data))
		copy(own.data, p.data)
		return own
	}
	p.memory.Retain()
	return p
}
