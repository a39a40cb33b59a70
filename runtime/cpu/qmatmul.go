package cpu

// Requant tells what becomes of the sums of a product of bytes, of which column j is
//
//	y := float32(sum+Add[j]) * Mult[j]
//	dst = saturate(round(y) + Zero) // max(y, 0) with Relu
//
// A half is rounded to even. Elements of float32 are y itself, those of int32 are sum+Add[j]; then Mult is nil.
type Requant struct {
	Add   []int32
	Mult  []float32
	Shift []int32 // the zero point of each column of the weights; nil for 0
	Zero  int     // the zero point of the result
	Relu  bool
}

// QMatMul is a product of bytes and the processing of its sums, where packed is the result of [PackB8] for a
// k×n matrix b:
//
//	for i := range m {
//		for j := range n {
//			sum := 0
//			for l := range k {
//				sum += a[i*k+l] * (b[l*n+j] - q.Shift[j]) // an int8 of a counts from -128 on: a+128
//			}
//			dst[i*n+j] = sum, processed as q tells
//		}
//	}
func QMatMul[D int8 | uint8 | int32 | float32, A int8 | uint8](dst []D, a []A, packed []int8, q Requant, s MatMulShape) {
	buf, rows, lda := byteRowsOf(asBytes(a[:s.M*s.K]), s.M, s.K, flipSigned[A]())
	g := byteGemms.get()
	*g = byteGemm{a: rows, b: asBytes(packed), lda: lda, m: s.M, k: s.K, n: s.N, out: newByteOut(dst, q.Add, q.Shift, q.Mult, q.Zero, q.Relu, s.N)}
	g.do()
	scratch.put(buf)
}
