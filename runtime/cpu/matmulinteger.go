package cpu

import "encoding/binary"

// MatMulInteger is [MatMul] of 8-bit integers minus their zero points:
//
//	for i, j := range dst {
//		for l := range k {
//			dst[i, j] += (a[i, l] - azp[i]) * (b[l, j] - bzp[j])
//		}
//	}
//
// in int32, which wraps around. There is one zero point for all, or one for each row of a and column of b;
// nil is zero.
func MatMulInteger[A, B int8 | uint8](dst []int32, a []A, b []B, azp []A, bzp []B, s MatMulBatch) {
	if len(dst) == 0 {
		return
	}
	if len(b) == s.K*s.N && len(a)*s.N == len(dst)*s.K { // one tall product
		s.M, s.Batch, s.A, s.B = len(dst)/s.N, nil, nil, nil
	}
	var it nest2
	it.init(s.Batch, s.A, s.B)
	row := it.size[it.rank-1]
	sa, sb := it.a[it.rank-1], it.b[it.rank-1]
	buf, packed := scratchBytes(PackB8Size(s.K, s.N))
	p, last := integers{packed: packed, m: s.M, k: s.K, n: s.N}, -1
	for o := 0; o < len(dst); {
		for r := range row {
			ai, bi := it.ai+r*sa, it.bi+r*sb
			if bi != last {
				packBytes(packed, asBytes(b[bi*s.K*s.N:][:s.K*s.N]), s.K, s.N, s.N, flipUnsigned[B]())
				last = bi
			}
			p.dst, p.a = dst[o:][:s.M*s.N], asBytes(a[ai*s.M*s.K:][:s.M*s.K])
			multiplyIntegers(&p, azp, bzp, ai*s.M, bi*s.N)
			o += s.M * s.N
		}
		it.next()
	}
	scratch.put(buf)
}

// MatMulIntegerPacked is [MatMulInteger] of the rows of a with one matrix of int8 that [PackB8] has packed.
func MatMulIntegerPacked[A int8 | uint8](dst []int32, a []A, packed []int8, azp []A, bzp []int8, m, k, n int) {
	p := integers{dst: dst, a: asBytes(a), packed: asBytes(packed), m: m, k: k, n: n}
	if len(dst) > 0 {
		multiplyIntegers(&p, azp, bzp, 0, 0)
	}
}

// flipUnsigned returns the mask that converts T to int8, flipSigned the one that converts it to uint8.
func flipUnsigned[T anyInt8]() byte {
	if signed[T]() {
		return 0
	}
	return flipped
}

func flipSigned[T anyInt8]() byte { return flipUnsigned[T]() ^ flipped }

// integers is one product of [MatMulInteger].
type integers struct {
	dst       []int32
	a, packed []byte
	m, k, n   int
}

// multiplyIntegers computes a product, whose zero points begin at the given places. With the stored values x
// and y, it is
//
//	Σ (x-p)(y-q) = Σ x(y-q) - p·(Σ y - k·q)
func multiplyIntegers[A, B anyInt8](p *integers, azp []A, bzp []B, ai, bi int) {
	m, k, n := p.m, p.k, p.n
	buf, rows, lda := byteRowsOf(p.a, m, k, flipSigned[A]())
	addBuf, add := scratchInts(n)
	colBuf, cols := scratchInts(n)
	shiftBuf, shift := scratchInts(n)
	zero := func(i int) int32 { return int32(zeroPoint(azp, ai+i)) + int32(flipSigned[A]()) }
	shifted := zerosOf(shift, bzp, bi, int32(flipUnsigned[B]()))
	if !shifted {
		shift = nil
	}
	clear(add)
	one := len(azp) < 2
	if !one || zero(0) != 0 {
		sumColumns(cols, p.packed, k, n)
		if shifted {
			for j := range cols {
				cols[j] -= int32(k) * shift[j]
			}
		}
	}
	if one && zero(0) != 0 {
		for j, s := range cols {
			add[j] = -zero(0) * s
		}
	}
	g := byteGemms.get()
	*g = byteGemm{a: rows, b: p.packed, lda: lda, m: m, k: k, n: n, out: byteOut{ints: p.dst, ldd: n, add: add, shift: shift}}
	g.do()
	for i := 0; i < m && !one; i++ {
		d := p.dst[i*n:][:n]
		for j, s := range cols {
			d[j] -= zero(i) * s
		}
	}
	for _, b := range [][]float32{buf, addBuf, colBuf, shiftBuf} {
		scratch.put(b)
	}
}

// zerosOf sets shift to the zero points from the given place on, in the range of flipped elements, and
// reports whether any is not zero.
func zerosOf[T anyInt8](shift []int32, zp []T, at int, flip int32) (shifted bool) {
	for j := range shift {
		z := -flip
		if len(zp) > 0 {
			z += int32(zeroPoint(zp, at+j))
		}
		shift[j] = z
		shifted = shifted || z != 0
	}
	return shifted
}

// byteRowsOf returns the m×k matrix a in the layout of micro-kernels: a itself, or flipped and filled with
// zeros in a scratch buffer, which must be given back.
func byteRowsOf(a []byte, m, k int, flip byte) (buf []float32, rows []byte, lda int) {
	lda = 4 * quadsOf(k)
	if lda == k && flip == 0 {
		return nil, a, lda
	}
	buf, rows = scratchBytes(m * lda)
	packRows(rows, a, m, k, flip)
	return buf, rows, lda
}

// sumColumns computes the sums of the columns of a packed matrix, by multiplying it with a row of ones.
func sumColumns(dst []int32, packed []byte, k, n int) {
	buf, ones := scratchBytes(4 * quadsOf(k))
	fill(ones, 1)
	zeroBuf, zeros := scratchInts(n)
	clear(zeros)
	g := byteGemms.get()
	*g = byteGemm{a: ones, b: packed, lda: len(ones), m: 1, k: k, n: n, out: byteOut{ints: dst, ldd: n, add: zeros}}
	g.do()
	scratch.put(buf)
	scratch.put(zeroBuf)
}

func sumBytesGo(x []byte) (sum int32) {
	for ; len(x) >= 8; x = x[8:] {
		const odd, each = 0x00ff00ff00ff00ff, 0x0001000100010001
		v := binary.NativeEndian.Uint64(x)
		pairs := v&odd + v>>8&odd // of 16 bits
		sum += int32(pairs * each >> 48)
	}
	for _, v := range x {
		sum += int32(v)
	}
	return sum
}

// zeroPoint returns element i of zero points that repeat.
func zeroPoint[T anyInt8](zp []T, i int) T {
	switch len(zp) {
	case 0:
		return 0
	case 1:
		return zp[0]
	}
	return zp[i%len(zp)]
}
