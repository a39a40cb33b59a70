package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scratch lends float32 buffers that begin at a multiple of 64 bytes. What they hold is arbitrary.
var scratch scratchList

// scratchList keeps the first elements of buffers, by the logarithms of their sizes.
type scratchList struct {
	bySize [bits.UintSize]freelist[float32]
}

const leastScratch = 10 // the logarithm of the smallest

func (l *scratchList) get(n int) []float32 {
	log := max(bits.Len(uint(max(n, 1)-1)), leastScratch)
	if first := l.bySize[log].take(); first != nil {
		return unsafe.Slice(first, 1<<log)[:n]
	}
	return alignedFloats(1 << log)[:n]
}

// put takes a buffer back; nil is none.
func (l *scratchList) put(b []float32) {
	if b != nil {
		l.bySize[bits.Len(uint(cap(b)))-1].put(unsafe.SliceData(b))
	}
}

// alignedFloats allocates n floats from a multiple of 64 bytes on.
func alignedFloats(n int) []float32 { return tensor.View[float32](tensor.Aligned(4*n), 0, n) }
