package cpu

// Gemm is dst = Alpha·op(a)·op(b) + Beta·c like [Gemm32], where c, of shape cs, is broadcast to M×N or is
// nil. The product is rounded before c is added.
func Gemm[T Number](dst, a, b, c []T, s GemmShape, cs []int) {
	if d, ok := any(dst).([]float32); ok {
		var bias []float32
		if s.K > 0 && s.N > 1 && s.Beta == 1 && isRow(cs, s.N) {
			bias, c = any(c).([]float32), nil
		}
		gemmBiased32(d, any(a).([]float32), any(b).([]float32), bias, GemmShape{M: s.M, K: s.K, N: s.N, TransA: s.TransA, TransB: s.TransB, Alpha: s.Alpha})
	} else {
		gemmAny(dst, a, b, s)
	}
	if c != nil && s.Beta != 0 {
		gemmBias(dst, c, s.N, s.Beta, cs)
	}
}

// isRow reports whether a shape is that of one row of n elements.
func isRow(shape []int, n int) bool {
	last := len(shape) - 1
	return last >= 0 && shape[last] == n && (last == 0 || last == 1 && shape[0] == 1)
}

// gemmAny is dst = Alpha·op(a)·op(b).
func gemmAny[T Number](dst, a, b []T, s GemmShape) {
	ai, al, bl, bj := s.K, 1, s.N, 1 // steps along the rows, k and the columns
	if s.TransA {
		ai, al = 1, s.M
	}
	if s.TransB {
		bl, bj = 1, s.K
	}
	for i := range s.M {
		d := dst[i*s.N:][:s.N]
		for j := range d {
			var sum T
			for l := range s.K {
				sum += T(a[i*ai+l*al] * b[l*bl+j*bj])
			}
			if s.Alpha != 1 {
				sum = T(s.Alpha * float64(sum))
			}
			d[j] = sum
		}
	}
}

// gemmBias is dst += beta·c.
func gemmBias[T Number](dst, c []T, n int, beta float64, cs []int) {
	rows, cols := len(c), 1 // a step of 0 repeats an element
	if len(cs) > 0 {
		cols = cs[len(cs)-1]
		rows /= max(cols, 1)
	}
	si, sj := cols, 1
	if rows == 1 {
		si = 0
	}
	if cols == 1 {
		sj = 0
	}
	for i := 0; i*n < len(dst); i++ {
		d := dst[i*n:][:n]
		if beta == 1 && sj == 1 {
			Add(d, d, c[i*si:][:n])
			continue
		}
		for j := range d {
			v := c[i*si+j*sj]
			if beta != 1 {
				v = T(beta * float64(v))
			}
			d[j] += v
		}
	}
}
