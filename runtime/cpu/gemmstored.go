package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// Stored is float32, or a float of 16 bits that is stored instead of one.
type Stored interface {
	float32 | tensor.F16 | tensor.BF16
}

// storedPiece is the number of elements of an operand that are widened at a time, and storedRows the minimum
// number of their rows: so the costs of a piece are small compared with its multiplications.
const (
	storedPiece = 1 << 16
	storedRows  = 128
)

// GemmStored is dst = op(a)·op(b) + bias like [Gemm32], with the same bits, of operands that may be stored in
// 16 bits. Pieces of them are widened just before they are multiplied. The bias has n elements, one for each
// column, or is nil.
//
// Where the processor multiplies tiles of bfloat16 (AMX), large products with an operand in bfloat16 use these: another
// operand in float32 is rounded to bfloat16 as well, an error of up to 2⁻⁸·Σ|aᵢbᵢ|, the order of the sums is another
// one, and denormals are zero.
func GemmStored[A, B Stored](dst []float32, a []A, b []B, bias []float32, s MatMulShape, transA, transB bool) {
	dst, a, b = dst[:s.M*s.N], a[:s.M*s.K], b[:s.K*s.N]
	whole := GemmShape{M: s.M, K: s.K, N: s.N, TransA: transA, TransB: transB, Alpha: 1}
	switch {
	case s.K == 0:
		clear(dst)
	case transA && !transB: // rows of both are terms of the sums
		rows := max(storedRows, storedPiece/max(s.M, s.N, 1))
		if inHalves[A, B](s.M, s.K, s.N) { // each piece reads and writes the sums
			rows = max(rows, 4*storedRows)
		}
		beta := 0.0
		for l := 0; l < s.K; l += rows {
			p := min(rows, s.K-l)
			gemmWidened(dst, a[l*s.M:][:p*s.M], b[l*s.N:][:p*s.N], GemmShape{M: s.M, K: p, N: s.N, TransA: true, Alpha: 1, Beta: beta})
			beta = 1
		}
	case !transA: // rows of a are rows of dst
		if inHalves[A, B](s.M, s.K, s.N) {
			gemmWidened(dst, a, b, whole)
			break
		}
		wide, own := widened(b)
		rows := max(storedRows, storedPiece/max(s.K, 1))
		for i := 0; i < s.M; i += rows {
			p := min(rows, s.M-i)
			gemmWidened(dst[i*s.N:][:p*s.N], a[i*s.K:][:p*s.K], wide, GemmShape{M: p, K: s.K, N: s.N, TransB: transB, Alpha: 1})
		}
		scratch.put(own)
	default:
		gemmWidened(dst, a, b, whole)
	}
	if bias != nil {
		for i := range s.M {
			VecAdd32(dst[i*s.N:][:s.N], dst[i*s.N:][:s.N], bias)
		}
	}
}

// gemmWidened is [Gemm32] of widened operands, or a product by tiles.
func gemmWidened[A, B Stored](dst []float32, a []A, b []B, s GemmShape) {
	if inHalves[A, B](s.M, s.K, s.N) {
		halfA, ownA := halfOperandOf(a, s.K, s.M, s.TransA)
		halfB, ownB := halfOperandOf(b, s.N, s.K, s.TransB)
		gemmHalves(dst, halfA, halfB, s.M, s.K, s.N, s.Beta != 0)
		scratch.put(ownA)
		scratch.put(ownB)
		return
	}
	wideA, ownA := widened(a)
	wideB, ownB := widened(b)
	Gemm32(dst, wideA, wideB, s)
	scratch.put(ownA)
	scratch.put(ownB)
}

// halfOperand is a matrix in float32, or one in bfloat16, for a product in bfloat16.
type halfOperand struct {
	wide []float32
	half []tensor.BF16
}

// halfOperandOf returns x, or with trans the transpose of x, which is m×n. If that is a copy, own is its scratch buffer.
func halfOperandOf[T Stored](x []T, m, n int, trans bool) (o halfOperand, own []float32) {
	if half, ok := any(x).([]tensor.BF16); ok && !trans {
		return halfOperand{half: half}, nil
	}
	wide, own := widened(x)
	if trans {
		t := scratch.get(m * n)
		transposeAll(t, wide, m, n)
		scratch.put(own)
		wide, own = t, t
	}
	return halfOperand{wide: wide}, own
}

// inHalves reports whether a product of that size, with an operand in bfloat16, is computed by tiles.
func inHalves[A, B Stored](m, k, n int) bool {
	_, a := any(A(0)).(tensor.BF16)
	_, b := any(B(0)).(tensor.BF16)
	_, wideA := any(A(0)).(float32)
	_, wideB := any(B(0)).(float32)
	return (a || b) && (a || wideA) && (b || wideB) && halfWorth(m, k, n)
}

// widened returns x as float32. If that is a copy, own is its scratch buffer.
func widened[T Stored](x []T) (wide, own []float32) {
	switch x := any(x).(type) {
	case []tensor.F16:
		own = scratch.get(len(x))
		halves(own, x, nil, true)
		return own, own
	case []tensor.BF16:
		own = scratch.get(len(x))
		halves(own, nil, x, true)
		return own, own
	case []float32:
		return x, nil
	}
	return nil, nil
}
