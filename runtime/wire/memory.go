package wire

import (
	"strings"
	"unsafe"
)

// fresh is n bytes of memory that may hold anything: all of them are to be written
// before they are read. Large memory that is cleared first is written twice.
func fresh(n int) []byte {
	if n == 0 {
		return nil
	}
	var b strings.Builder // the one way to memory that nobody clears
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// piece is how much is worked on at a time, while it is in a processor's cache.
const piece = 64 << 10

// Copied is a copy of p with its sum.
func Copied(p []byte) *Summed {
	b, sum := fresh(len(p)), uint32(0)
	for at := 0; at < len(p); at += piece {
		part := p[at:min(at+piece, len(p))]
		sum = AddCRC(sum, part)
		copy(b[at:], part)
	}
	return &Summed{b, sum}
}
