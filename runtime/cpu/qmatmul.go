package cpu

// QMatMul is a product of bytes and the processing of its sums, where packed is the result of [PackB8] for a
// k×n matrix b:
//
//	for i := range m {
//		for j := range n {
//			sum := add[j]
//			for l := range k {
//				sum += a[i*k+l] * (b[l*n+j] - shift[j]) // an int8 of a counts from -128 on: a+128
//			}
//			x := float32(sum) * mult[j]
//			dst[i*n+j] = saturate(round(x) + zero) // max(x, 0) with relu
//		}
//	}
//
// A half is rounded to even. Elements of float32 are x itself, those of int32 are sum; then mult is nil. A
// nil shift is zero.
func QMatMul[D int8 | uint8 | int32 | float32, A int8 | uint8](dst []D, a []A, packed []int8, add []int32, mult []float32, shift []int32, zero int, relu bool, m, k, n int) {
	buf, rows, lda := byteRowsOf(asBytes(a[:m*k]), m, k, flipSigned[A]())
	g := byteGemms.get()
	*g = byteGemm{a: rows, b: asBytes(packed), lda: lda, m: m, k: k, n: n, out: newByteOut(dst, add, shift, mult, zero, relu, n)}
	g.do()
	scratch.put(buf)
}
