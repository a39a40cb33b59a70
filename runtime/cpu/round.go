package cpu

import "math"

// Ceil is dst[i] = ⌈x[i]⌉.
func Ceil[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Ceil(float64(v)))
	}
}

// Floor is dst[i] = ⌊x[i]⌋.
func Floor[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Floor(float64(v)))
	}
}

// Round is dst[i] = x[i] rounded to the nearest integer, halves to the even one.
func Round[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.RoundToEven(float64(v)))
	}
}
