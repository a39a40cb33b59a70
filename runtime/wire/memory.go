package wire

import "github.com/bbgen/bbgen/runtime/tensor"

// piece is how much is worked on at a time, while it is in a processor's cache.
const piece = 64 << 10

// Copied is a copy of p with its sum, and one share in it.
func Copied(p []byte) *Held {
	m, sum := tensor.NewMemory(len(p)), uint32(0)
	b := m.Bytes()[:len(p):len(p)]
	for at := 0; at < len(p); at += piece {
		part := p[at:min(at+piece, len(p))]
		sum = AddCRC(sum, part)
		copy(b[at:], part)
	}
	return HeldIn(m, b, sum)
}
