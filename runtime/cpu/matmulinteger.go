package cpu

// MatMulInteger is [MatMul] of 8-bit integers less their zero points:
//
//	for i, j := range dst {
//		for l := range k {
//			dst[i, j] += (a[i, l] - azp[i]) * (b[l, j] - bzp[j])
//		}
//	}
//
// in int32, which wraps around. There is one zero point for all, or one for
// each row of a and column of b; nil stands for zero.
func MatMulInteger[A, B int8 | uint8](dst []int32, a []A, b []B, azp []A, bzp []B, batch, as, bs []int, m, k, n int) {
	if len(dst) == 0 {
		return
	}
	var it nest2
	it.init(batch, as, bs)
	row := it.size[it.rank-1]
	sa, sb := it.a[it.rank-1], it.b[it.rank-1]
	for o := 0; o < len(dst); {
		for r := range row {
			ai, bi := it.ai+r*sa, it.bi+r*sb
			for i := range m {
				zero := int32(zeroPoint(azp, ai*m+i))
				productRow(dst[o:][:n], a[(ai*m+i)*k:][:k], b[bi*k*n:][:k*n], zero, bzp, bi*n)
				o += n
			}
		}
		it.next()
	}
}

// productRow is one row of a product. The zero points of the columns, from
// bzp[first] on, are multiplied by the sum of the row.
func productRow[A, B int8 | uint8](dst []int32, a []A, b []B, zero int32, bzp []B, first int) {
	n := len(dst)
	clear(dst)
	sum := int32(0)
	for l, v := range a {
		x := int32(v) - zero
		sum += x
		if x == 0 {
			continue
		}
		for j, w := range b[l*n:][:n] {
			dst[j] += x * int32(w)
		}
	}
	switch {
	case len(bzp) == 1:
		for j := range dst {
			dst[j] -= sum * int32(bzp[0])
		}
	case bzp != nil:
		for j := range dst {
			dst[j] -= sum * int32(zeroPoint(bzp, first+j))
		}
	}
}

// zeroPoint is element i of zero points that repeat.
func zeroPoint[T int8 | uint8](zp []T, i int) T {
	switch len(zp) {
	case 0:
		return 0
	case 1:
		return zp[0]
	}
	return zp[i%len(zp)]
}
