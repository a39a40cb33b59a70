package wire

import (
	"errors"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Blob is a large value that need not be in memory: a payload that came in chunks, or is sent in chunks. Its
// bytes never change.
//
// A Blob has a reference count. A function that returns one gives a reference to its caller. Retain adds a
// reference; the last Release releases the bytes.
type Blob interface {
	io.ReaderAt
	Size() uint64
	CRC() uint32            // CRC-32C of the bytes
	Bytes() []byte          // all bytes if they are in memory; nil otherwise
	Memory() *tensor.Memory // the memory of Bytes if it has a reference count; nil otherwise
	Retain()
	Release()
}

// Bytes is a Blob in memory that the garbage collector manages.
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

// Size returns the number of bytes.
func (b Bytes) Size() uint64 { return uint64(len(b)) }

// CRC returns their checksum.
func (b Bytes) CRC() uint32 { return CRC(b) }

// Bytes returns the bytes.
func (b Bytes) Bytes() []byte { return b }

// Held is [Bytes] in memory with a reference count; its checksum is computed once.
type Held struct {
	inMemory
	memory *tensor.Memory
}

type inMemory = Bytes

// HeldIn returns a Held of b, which is in memory m with a reference count, or in other memory if m is nil. It
// adds a reference.
func HeldIn(m *tensor.Memory, b []byte) *Held { return &Held{b, m} }

// CRC returns the checksum.
func (h *Held) CRC() uint32 { return h.memory.Sum(h.inMemory, CRC) }

// Memory returns the memory with the reference count.
func (h *Held) Memory() *tensor.Memory { return h.memory }

// Retain adds a reference.
func (h *Held) Retain() { h.memory.Retain() }

// Release releases a reference.
func (h *Held) Release() { h.memory.Release() }

// Memory returns nil: there is no reference count.
func (b Bytes) Memory() *tensor.Memory { return nil }

// Retain does nothing.
func (b Bytes) Retain() {}

// Release does nothing.
func (b Bytes) Release() {}
