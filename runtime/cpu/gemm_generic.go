package cpu

// tileRowsGo is the maximum number of rows of [gemmTile.runGo].
const tileRowsGo = 4

// runGo is
//
//	for i := range t.rows {
//		for j := range t.cols {
//			sum := float32(0) // or c[i*ldc+j]
//			for l := range t.k {
//				sum += float32(a[i*lda+l] * b[l*ldb+j])
//			}
//			c[i*ldc+j] = sum // bias, res and relu first
//		}
//	}
//
// where a row of runs is read one run after the other.
//
// The conversion keeps compilers from fusing the two operations on some architectures only.
func (t *gemmTile) runGo() {
	i := 0
	for ; i+2 <= t.rows; i += 2 {
		j := 0
		for ; j+4 <= t.cols; j += 4 {
			t.run2x4(i, j)
		}
		for ; j < t.cols; j++ {
			t.run1x1(i, j)
			t.run1x1(i+1, j)
		}
	}
	for ; i < t.rows; i++ {
		t.run1x32(i)
	}
}

// run1x32 computes a row, along the rows of b.
func (t *gemmTile) run1x32(i int) {
	var sums [panel]float32
	s, c := sums[:t.cols], t.c[i*t.ldc:][:t.cols]
	if t.flags&tileAcc != 0 {
		copy(s, c)
	}
	o := 0
	for at, r := t.first(i), 0; r >= 0; at, r = t.next(at, r) {
		for _, x := range t.a[at:][:t.k] {
			for j, y := range t.b[o:][:len(s)] {
				s[j] += float32(x * y)
			}
			o += t.ldb
		}
	}
	for j, v := range s {
		c[j] = t.finish(v, i, j)
	}
}

func (t *gemmTile) run2x4(i, j int) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float32
	c0 := t.c[i*t.ldc+j:][:4]
	c1 := t.c[(i+1)*t.ldc+j:][:4]
	if t.flags&tileAcc != 0 {
		s00, s01, s02, s03 = c0[0], c0[1], c0[2], c0[3]
		s10, s11, s12, s13 = c1[0], c1[1], c1[2], c1[3]
	}
	down := t.first(i+1) - t.first(i)
	o := j
	for at, r := t.first(i), 0; r >= 0; at, r = t.next(at, r) {
		a0, a1 := t.a[at:][:t.k], t.a[at+down:][:t.k]
		for l, x0 := range a0 {
			x1 := a1[l]
			b := t.b[o : o+4 : o+4]
			s00 += float32(x0 * b[0])
			s01 += float32(x0 * b[1])
			s02 += float32(x0 * b[2])
			s03 += float32(x0 * b[3])
			s10 += float32(x1 * b[0])
			s11 += float32(x1 * b[1])
			s12 += float32(x1 * b[2])
			s13 += float32(x1 * b[3])
			o += t.ldb
		}
	}
	c0[0], c0[1], c0[2], c0[3] = s00, s01, s02, s03
	c1[0], c1[1], c1[2], c1[3] = s10, s11, s12, s13
	if t.flags > tileAcc {
		for x := range 4 {
			c0[x] = t.finish(c0[x], i, j+x)
			c1[x] = t.finish(c1[x], i+1, j+x)
		}
	}
}

func (t *gemmTile) run1x1(i, j int) {
	s := float32(0)
	if t.flags&tileAcc != 0 {
		s = t.c[i*t.ldc+j]
	}
	o := j
	for at, r := t.first(i), 0; r >= 0; at, r = t.next(at, r) {
		for _, x := range t.a[at:][:t.k] {
			s += float32(x * t.b[o])
			o += t.ldb
		}
	}
	t.c[i*t.ldc+j] = t.finish(s, i, j)
}

// first returns the place where row i begins.
func (t *gemmTile) first(i int) int {
	if t.runs == 0 {
		return i * t.lda
	}
	return t.at[i]
}

// next returns the place after run r of a row where the next run begins, and the number of that run, negative
// if there is none.
func (t *gemmTile) next(at, r int) (int, int) {
	if r+1 >= t.runs {
		return at, -1
	}
	return at + t.steps[r], r + 1
}

// finish returns the element at row i and column j for a sum.
func (t *gemmTile) finish(s float32, i, j int) float32 {
	if t.flags&tileBias != 0 {
		s += t.bias[j]
	}
	if t.flags&tileRes != 0 {
		s += t.res[i*t.ldc+j]
	}
	if t.flags&tileRelu != 0 && s < 0 {
		s = 0
	}
	return s
}
