package accountant

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// fft replaces x by its discrete Fourier transform, without a factor. Its length is a
// power of two.
func fft(x []complex128) {
	n := len(x)
	shift := 64 - bits.TrailingZeros(uint(n))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	roots := make([]complex128, n/2)
	for i := range roots {
		roots[i] = cmplx.Exp(complex(0, -2*math.Pi*float64(i)/float64(n)))
	}
	for half := 1; half < n; half *= 2 {
		for at := 0; at < n; at += 2 * half {
			for i := range half {
				a, b := x[at+i], x[at+i+half]*roots[i*(n/2/half)]
				x[at+i], x[at+i+half] = a+b, a-b
			}
		}
	}
}

// inverse is the inverse of fft.
func inverse(x []complex128) {
	fft(x)
	n := complex(float64(len(x)), 0)
	for i := range x {
		x[i] /= n
	}
	for i, j := 1, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
}
