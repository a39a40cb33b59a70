package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scratch lends float32 buffers that are aligned to 64 bytes. Their contents are arbitrary.
var scratch scratchList

// scratchList keeps the first elements of buffers, by the logarithms of their sizes.
type scratchList struct {
	bySize [bits.UintSize]freelist[float32]
}

const leastScratch = 10 // the logarithm of the smallest size

func (l *scratchList) get(n int) []float32 {
	log := max(bits.Len(uint(max(n, 1)-1)), leastScratch)
	if first := l.bySize[log].take(); first != nil {
		return unsafe.Slice(first, 1<<log)[:n]
	}
	return alignedFloats(1 << log)[:n]
}

// put gives a buffer back; nil is allowed.
func (l *scratchList) put(b []float32) {
	if b != nil {
		l.bySize[bits.Len(uint(cap(b)))-1].put(unsafe.SliceData(b))
	}
}

// alignedFloats allocates n floats that are aligned to 64 bytes.
func alignedFloats(n int) []float32 { return tensor.View[float32](tensor.Aligned(4*n), 0, n) }
