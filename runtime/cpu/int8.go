package cpu

import "unsafe"

// Products of bytes.
//
// A sum of products of bytes is exact: it is an int32, which wraps around, so that the bits depend on neither
// the order of summation nor the level nor the number of threads. Micro-kernels multiply unsigned bytes with
// signed ones. An operand of the other kind is shifted by 128: its highest bit is flipped, and that of its
// zero point. They read whole groups of four bytes: the bytes after the end of a row are multiplied by zeros.

const flipped = 0x80 // converts a byte from one range to the other

// anyInt8 is the quantized types of products.
type anyInt8 interface{ int8 | uint8 }

// signed reports whether T is int8.
func signed[T anyInt8]() bool { return lowest[T]() < 0 }

// asBytes returns x as bytes, in the same memory.
func asBytes[T anyInt8](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// quadsOf returns the number of groups of four for k values; micro-kernels read whole groups.
func quadsOf(k int) int { return (k + 3) / 4 }

// byteTile is the argument of a micro-kernel: rows of unsigned bytes in a, panels of signed ones in b, and
// the memory of their sums, c[i·ldc+j] for all columns of the panels. A row consists of runs; steps are the
// distances between their begins. In b the runs are adjacent. Assembly uses the offsets of the fields.
type byteTile struct {
	a, b          []byte
	c             []int32
	lda, ldp, ldc int // from row to row of a, from panel to panel of b, from row to row of c
	quads         int // of a run
	runs          int
	steps         []int
	rows, panels  int
	cols          int  // that are needed, of all panels
	wide          bool // a has words as [widenRunsGo] writes them, and lda is twice as large
}

// runGo is
//
//	for i := range t.rows {
//		for j := range 32 * t.panels {
//			sum := int32(0)
//			for l := range 4 * t.quads {
//				sum += a[i*lda+l] * b[j/32*ldp+l/4*128+j%32*4+l%4]
//			}
//			c[i*ldc+j] = sum
//		}
//	}
//
// for rows of one run.
func (t *byteTile) runGo() {
	for i := range t.rows {
		for p := range t.panels {
			c := t.c[i*t.ldc+p*panel:][:panel]
			clear(c)
			at := i * t.lda
			for r := range t.runs {
				if r > 0 {
					at += t.steps[r-1]
				}
				sumPanel(c, t.a[at:][:4*t.quads], t.b[p*t.ldp+r*t.quads*4*panel:])
			}
		}
	}
}

// sumPanel adds the products of one run of a row and one panel to c.
func sumPanel(c []int32, a, b []byte) {
	for l := 0; l+4 <= len(a); l += 4 {
		x := a[l : l+4 : l+4]
		x0, x1, x2, x3 := int32(x[0]), int32(x[1]), int32(x[2]), int32(x[3])
		y := b[l*panel:][:4*panel]
		for j := range c {
			q := y[4*j : 4*j+4 : 4*j+4]
			c[j] += x0*int32(int8(q[0])) + x1*int32(int8(q[1])) + x2*int32(int8(q[2])) + x3*int32(int8(q[3]))
		}
	}
}
