package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// Half is a float of 16 bits that is stored instead of a float32.
type Half interface{ tensor.F16 | tensor.BF16 }

// The kernels of this file are those of the same names without Stored, for an operand that is stored in 16
// bits. It is widened piece by piece.

// ReluGradStored is [ReluGrad].
func ReluGradStored[X Half](dst, dy []float32, y []X) {
	eachPiece(y[:len(dst)], 1, func(lo, hi int, y []float32) { ReluGrad(dst[lo:hi], dy[lo:hi], y) })
}

// GeluGradStored is [GeluGrad].
func GeluGradStored[X Half](dst, dy []float32, x []X) {
	eachPiece(x[:len(dst)], 1, func(lo, hi int, x []float32) { GeluGrad(dst[lo:hi], dy[lo:hi], x) })
}

// GeluTanhGradStored is [GeluTanhGrad].
func GeluTanhGradStored[X Half](dst, dy []float32, x []X) {
	eachPiece(x[:len(dst)], 1, func(lo, hi int, x []float32) { GeluTanhGrad(dst[lo:hi], dy[lo:hi], x) })
}

// SoftmaxGradStored is [SoftmaxGrad].
func SoftmaxGradStored[X Half](dst, dy []float32, y []X, outer, n, inner int) {
	eachPiece(y[:outer*n*inner], n*inner, func(lo, hi int, y []float32) {
		SoftmaxGrad(dst[lo:hi], dy[lo:hi], y, (hi-lo)/(n*inner), n, inner)
	})
}

// MaxPoolGradStored is [MaxPoolGrad].
func MaxPoolGradStored[X Half](dst, dy []float32, x []X, top []float32, index []int64, planes int, win Window) {
	if len(dy) == 0 {
		clear(dst)
		return
	}
	in, out := len(dst)/planes, len(dy)/planes
	eachPiece(x[:len(dst)], in, func(lo, hi int, x []float32) {
		p, q := lo/in, hi/in
		MaxPoolGrad(dst[lo:hi], dy[p*out:q*out], x, top, index, q-p, win)
	})
}

// eachPiece calls f for pieces of x, widened. Each piece is a number of units of the given elements.
func eachPiece[X Half](x []X, unit int, f func(lo, hi int, wide []float32)) {
	if len(x) == 0 {
		return
	}
	step := max(1, storedPiece/unit) * unit
	for lo := 0; lo < len(x); lo += step {
		hi := min(lo+step, len(x))
		wide, own := widened(x[lo:hi])
		f(lo, hi, wide)
		scratch.put(own)
	}
}
