package wire

import (
	"fmt"
	"io"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// piece is the number of bytes that are processed at a time, while they are in a processor's cache.
const piece = 64 << 10

// Copied returns a copy of p with one reference. Its checksum is computed at once if it will be needed.
func Copied(p []byte, summed bool) *Held {
	m, sum := tensor.NewMemory(len(p)), uint32(0)
	b := m.Bytes()[:len(p):len(p)]
	if !summed {
		copy(b, p)
		return HeldIn(m, b)
	}
	for at := 0; at < len(p); at += piece {
		part := p[at:min(at+piece, len(p))]
		sum = AddCRC(sum, part)
		copy(b[at:], part)
	}
	m.Sum(b, func([]byte) uint32 { return sum })
	return HeldIn(m, b)
}

// Loaded returns a copy in memory of a value that may be in a file, with one reference.
func Loaded(x Blob) (*Held, error) {
	if x.Size() > math.MaxInt {
		return nil, &LimitError{"a value in memory", x.Size(), math.MaxInt}
	}
	size := int(x.Size())
	m := tensor.NewMemory(size)
	b := m.Bytes()[:size:size]
	if n, err := x.ReadAt(b, 0); n < size {
		m.Release()
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("a value of %d bytes: %w", size, err)
	}
	m.Sum(b, func([]byte) uint32 { return x.CRC() })
	return HeldIn(m, b), nil
}
