package collective

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// piece is the bytes of a chunk, with a share in the memory where they stand if that is
// counted.
type piece struct {
	data   []byte
	memory *tensor.Memory
}

// newPiece is a piece of n bytes, which may hold anything.
func newPiece(n int) piece {
	if !tensor.AreLarge(n) {
		return piece{aligned(n), nil}
	}
	m := tensor.NewMemory(n)
	return piece{m.Bytes()[:n:n], m}
}

// keep is the data of a message beyond the call that brings it. They are copied where nobody
// counts who reads them, and where they are a small part of what would be kept with them.
func (m *Message) keep() piece {
	if m.Memory == nil || 2*len(m.Data) < len(m.Memory.Bytes()) {
		return piece{slices.Clone(m.Data), nil}
	}
	m.Memory.Retain()
	return piece{m.Data, m.Memory}
}

// release gives the share back.
func (p *piece) release() {
	p.memory.Release()
	*p = piece{}
}
