package cpu

import "unsafe"

// Products of bytes.
//
// A sum of products of bytes is exact: it is an int32, which wraps around, so that no order of summation, no level and no
// number of threads changes a bit. Micro-kernels multiply unsigned bytes with signed ones: an operand of the other sign
// is moved by 128, that is, its highest bit is flipped, and so is its zero point.

const flipped = 0x80 // what moves a byte from one range to the other

// octet is the quantized types that products take.
type octet interface{ int8 | uint8 }

// signed reports whether T is int8.
func signed[T octet]() bool { return lowest[T]() < 0 }

// asBytes is the memory of x.
func asBytes[T octet](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// quadsOf returns how many groups of four k values make; micro-kernels take one at a time.
func quadsOf(k int) int { return (k + 3) / 4 }

// byteTile is what a micro-kernel gets: rows of a, panels of b, and where their sums go, c[i·ldc+j] for all columns of the
// panels. Assembly knows the offsets of its fields.
type byteTile struct {
	a, b          []byte
	c             []int32
	lda, ldp, ldc int // from row to row of a, from panel to panel of b, from row to row of c
	quads         int
	rows, panels  int
	signed        bool // a holds int8 and b uint8, not the other way round
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
func (t *byteTile) runGo() {
	for i := range t.rows {
		a := t.a[i*t.lda:][:4*t.quads]
		for p := range t.panels {
			c := t.c[i*t.ldc+p*panel:][:panel]
			clear(c)
			b := t.b[p*t.ldp:][:t.quads*4*panel]
			if t.signed {
				sumPanel[int8, uint8](c, a, b)
			} else {
				sumPanel[uint8, int8](c, a, b)
			}
		}
	}
}

// sumPanel adds the products of one row and one panel to c.
func sumPanel[A, B octet](c []int32, a, b []byte) {
	for l := 0; l+4 <= len(a); l += 4 {
		x := a[l : l+4 : l+4]
		x0, x1, x2, x3 := int32(A(x[0])), int32(A(x[1])), int32(A(x[2])), int32(A(x[3]))
		y := b[l*panel:][:4*panel]
		for j := range c {
			q := y[4*j : 4*j+4 : 4*j+4]
			c[j] += x0*int32(B(q[0])) + x1*int32(B(q[1])) + x2*int32(B(q[2])) + x3*int32(B(q[3]))
		}
	}
}
