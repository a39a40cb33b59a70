package cpu

import (
	"math/bits"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scratch lends float32 buffers that begin at a multiple of 64 bytes. What they hold is arbitrary.
var scratch scratchList

type scratchList struct {
	spinLock
	free [][]float32 // NB: searched one by one; a few per thread exist
}

func (l *scratchList) get(n int) []float32 {
	l.lock()
	defer l.unlock()
	best := -1
	for i, b := range l.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(l.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return alignedFloats(1 << bits.Len(uint(max(n, 1024)-1)))[:n]
	}
	b := l.free[best]
	last := len(l.free) - 1
	l.free[best] = l.free[last]
	l.free = l.free[:last]
	return b[:n]
}

// put takes a buffer back; nil is none.
func (l *scratchList) put(b []float32) {
	if b == nil {
		return
	}
	l.lock()
	defer l.unlock()
	l.free = append(l.free, b)
}

// alignedFloats allocates n floats from a multiple of 64 bytes on.
func alignedFloats(n int) []float32 { return tensor.View[float32](tensor.Aligned(4*n), 0, n) }
