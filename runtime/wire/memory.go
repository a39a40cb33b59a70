package wire

import "github.com/bbgen/bbgen/runtime/tensor"

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
