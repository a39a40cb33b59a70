package cpu

import "math"

// QMatMul is a product of bytes and what becomes of its sums, where packed is what [PackB8] made of a k×n matrix b:
//
//	for i := range m {
//		for j := range n {
//			sum := add[j]
//			for l := range k {
//				sum += a[i*k+l] * b[l*n+j] // an int8 of a counts from -128 on: a+128
//			}
//			x := float32(sum) * mult[j]
//			dst[i*n+j] = saturate(round(x) + zero) // max(x, 0) with relu
//		}
//	}
//
// A half is rounded to even. Elements of float32 are x itself, those of int32 are sum, and mult is nil then.
func QMatMul[D int8 | uint8 | int32 | float32, A int8 | uint8](dst []D, a []A, packed []int8, add []int32, mult []float32, zero int, relu bool, m, k, n int) {
	buf, rows, lda := byteRowsOf(asBytes(a[:m*k]), m, k, flipSigned[A]())
	g := byteGemms.get()
	*g = byteGemm{a: rows, b: asBytes(packed), lda: lda, m: m, k: k, n: n, out: newByteOut(dst, zero, relu)}
	g.out.add, g.out.mult, g.out.ldd = add, mult, n
	g.do()
	scratch.put(buf)
}

// newByteOut is the output of sums in dst.
func newByteOut[D int8 | uint8 | int32 | float32](dst []D, zero int, relu bool) byteOut {
	o := byteOut{zero: int32(zero)}
	switch d := any(dst).(type) {
	case []int32:
		o.ints = d
	case []float32:
		o.floats, o.low = d, float32(math.Inf(-1))
	case []int8:
		o.bytes = asBytes(d)
		o.setRange(true)
	case []uint8:
		o.bytes = d
		o.setRange(false)
	}
	if relu {
		o.low = max(o.low, 0)
	}
	return o
}

// from is the output from element i on.
func (o byteOut) from(i int) byteOut {
	switch {
	case o.ints != nil:
		o.ints = o.ints[i:]
	case o.floats != nil:
		o.floats = o.floats[i:]
	default:
		o.bytes = o.bytes[i:]
	}
	return o
}
