package cpu

import (
	"math"
	"testing"
)

// TestFFT compares transforms of each length up to 70 with their definition.
func TestFFT(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for _, sign := range []float64{-1, 1} {
			f := fft{n: n, sign: sign}
			f.init(make([]float64, 6*n))
			x := gaussians[float64](2 * n)
			copy(f.re, x[:n])
			copy(f.im, x[n:])
			f.run()
			re, im := make([]float64, n), make([]float64, n)
			for k := range n {
				for j := range n {
					s, c := math.Sincos(sign * 2 * math.Pi * float64(k*j%n) / float64(n))
					re[k] += x[j]*c - x[n+j]*s
					im[k] += x[j]*s + x[n+j]*c
				}
				if sign > 0 {
					re[k] /= float64(n)
					im[k] /= float64(n)
				}
			}
			nearly(t, "real part", f.re, re, 1e-12)
			nearly(t, "imaginary part", f.im, im, 1e-12)
		}
	}
}
