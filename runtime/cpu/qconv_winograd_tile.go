package cpu

// The number of columns of a micro-kernel of words, and the maximum number of rows.
const wordPanel, wordRows = 16, 6

// wordTile is the argument of a micro-kernel of words: of rows of a, of a panel of b, in which two values of a column are side
// by side, and of the memory of their sums. Assembly uses the offsets of the fields.
type wordTile struct {
	a, b     []int16
	c        []int32
	lda, ldc int
	pairs    int // of words of a row, at least one
	rows     int // at most [wordRows]
}

// runGo is
//
//	for i := range t.rows {
//		for j := range 16 {
//			for l := range 2 * t.pairs {
//				c[i*ldc+j] = Σ a[i*lda+l] * b[l/2*32+2*j+l%2]
//			}
//		}
//	}
func (t *wordTile) runGo() {
	for i := range t.rows {
		c := t.c[i*t.ldc:][:wordPanel]
		clear(c)
		for l := range t.pairs {
			x, y := int32(t.a[i*t.lda+2*l]), int32(t.a[i*t.lda+2*l+1])
			b := t.b[2*wordPanel*l:][:2*wordPanel]
			for j := range c {
				c[j] += x*int32(b[2*j]) + y*int32(b[2*j+1])
			}
		}
	}
}

// pixelTile8 is the argument of the transform of 6×6 pixels. Assembly uses the offsets of the fields.
type pixelTile8 struct {
	dst        []int16
	src        []byte
	tmp        []int16 // 576
	n          int     // channels, a multiple of 16
	pixel, row int     // from a pixel to the next one, and from a row of pixels to the next
	step       int     // from a transform to the next
	flip       uint32  // two words that are xored with pixels
}

// inGo computes, for each channel, the transform of the columns of 6×6 pixels, and then that of the rows of the result.
func (t *pixelTile8) inGo() {
	for c := range t.n {
		var tmp [6][6]int16
		for j := range 6 {
			var d [6]int16
			for i := range d {
				d[i] = int16(t.src[i*t.row+j*t.pixel+c] ^ byte(t.flip))
			}
			for i, v := range pixelWords(d) {
				tmp[i][j] = v
			}
		}
		for i := range 6 {
			for j, v := range pixelWords(tmp[i]) {
				t.dst[(i*6+j)*t.step+c] = v
			}
		}
	}
}

// pixelWords is the transform of six pixels, for polynomials at 0, ±1, ±2 and infinity. Both transforms of bytes have 68 times
// their range at most.
func pixelWords(d [6]int16) [6]int16 {
	return [6]int16{
		4*d[0] - 5*d[2] + d[4],
		d[4] - 4*d[2] + (d[3] - 4*d[1]), d[4] - 4*d[2] - (d[3] - 4*d[1]),
		d[4] - d[2] + 2*(d[3]-d[1]), d[4] - d[2] - 2*(d[3]-d[1]),
		4*d[1] - 5*d[3] + d[5],
	}
}

// filterWords is the transform of three taps, multiplied by 4, 6, 6, 24, 24 and 1. Both transforms of int8 have 49 times their
// range at most.
func filterWords(g [3]int16) [6]int16 {
	return [6]int16{
		g[0],
		-(g[0] + g[2]) - g[1], -(g[0] + g[2]) + g[1],
		g[0] + 4*g[2] + 2*g[1], g[0] + 4*g[2] - 2*g[1],
		g[2],
	}
}

// sumTile8 is the argument of the transform of sums to those of 4×4 pixels. Assembly uses the offsets of the fields.
type sumTile8 struct {
	dst, src, tmp []int32
	n             int // filters, a multiple of 16
	step          int // from a transform to the next
}

// ninth is the number whose product with 9 is 1, modulo 2³².
const ninth = 0x38e38e39

// outGo computes, for each filter, the transform of the columns of 6×6 sums, and then that of the rows of the result. It divides
// by both factors.
func (t *sumTile8) outGo() {
	shifts := [4]int{3, 2, 1, 1} // binary logarithms of a third of the factors of pixelSums
	for f := range t.n {
		var tmp [4][6]int32
		for j := range 6 {
			var m [6]int32
			for i := range m {
				m[i] = t.src[(i*6+j)*t.step+f]
			}
			for i, v := range pixelSums(m) {
				tmp[i][j] = v
			}
		}
		for i := range 4 {
			for j, v := range pixelSums(tmp[i]) {
				t.dst[(4*i+j)*t.n+f] = v * ninth >> (shifts[i] + shifts[j])
			}
		}
	}
}

// pixelSums is the transform of six sums to 24, 12, 6 and 6 times those of four pixels: it multiplies by what filterWords and
// the division by powers of two leave.
func pixelSums(m [6]int32) [4]int32 {
	p, q, r, s := m[1]+m[2], m[3]+m[4], m[1]-m[2], m[3]-m[4]
	return [4]int32{6*m[0] + 4*p + q, 2*r + s, p + q, r + 2*s + 6*m[5]}
}
