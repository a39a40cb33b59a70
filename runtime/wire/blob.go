package wire

import (
	"errors"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Blob is a large value that need not be in memory: a payload that came as
// chunks, or that goes out so. Its bytes never change.
//
// Whoever is given one has a share in it until Release. Retain makes one more
// share; the last Release lets the bytes go.
type Blob interface {
	io.ReaderAt
	Size() uint64
	CRC() uint32            // CRC-32C of the bytes
	Bytes() []byte          // all of it, where it is in memory after all; nil otherwise
	Memory() *tensor.Memory // what counts who shares Bytes; nil: nobody
	Retain()
	Release()
}

// Bytes is a Blob in memory, which the garbage collector lets go.
type Bytes []byte

// ReadAt copies bytes from off on.
func (b Bytes) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("a negative offset")
	}
	n := copy(p, b[min(off, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size is how many bytes there are.
func (b Bytes) Size() uint64 { return uint64(len(b)) }

// CRC is their sum.
func (b Bytes) CRC() uint32 { return CRC(b) }

// Bytes are the bytes.
func (b Bytes) Bytes() []byte { return b }

// Held is [Bytes] in counted memory, whose sum is taken once.
type Held struct {
	inMemory
	memory *tensor.Memory
}

type inMemory = Bytes

// HeldIn is b, which stands in counted memory, or in memory of which m is nil. It
// takes a share.
func HeldIn(m *tensor.Memory, b []byte) *Held { return &Held{b, m} }

// CRC is the sum.
func (h *Held) CRC() uint32 { return h.memory.Sum(h.inMemory, CRC) }

// Memory counts who has a share.
func (h *Held) Memory() *tensor.Memory { return h.memory }

// Retain makes one more share.
func (h *Held) Retain() { h.memory.Retain() }

// Release gives a share back.
func (h *Held) Release() { h.memory.Release() }

// Memory is nil: nobody counts.
func (b Bytes) Memory() *tensor.Memory { return nil }

// Retain does nothing.
func (b Bytes) Retain() {}

// Release does nothing.
func (b Bytes) Release() {}
