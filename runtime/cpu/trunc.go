package cpu

import "math"

// Trunc is dst[i] = x[i] rounded towards 0.
func Trunc[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Trunc(float64(v)))
	}
}

// Log1p is dst[i] = log(1+x[i]), accurate near 0.
func Log1p[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Log1p(float64(v)))
	}
}
