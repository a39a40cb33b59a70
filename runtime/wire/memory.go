package wire

import "github.com/bbgen/bbgen/runtime/tensor"

// piece is how much is worked on at a time, while it is in a processor's cache.
const piece = 64 << 10

// Copied is a copy of p, with one share in it. Its sum is taken at once if it will be
// asked for.
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
