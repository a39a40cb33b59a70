package cpu

import "math"

// IsNaN is
//
//	for i, v := range x {
//		dst[i] = v != v
//	}
func IsNaN[T Float](dst []bool, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = v != v
	}
}

// IsInf is whether x[i] is +Inf, if positive is set, or -Inf, if negative is set.
func IsInf[T Float](dst []bool, x []T, positive, negative bool) {
	for i, v := range x[:len(dst)] {
		w := float64(v)
		dst[i] = positive && w > math.MaxFloat64 || negative && w < -math.MaxFloat64
	}
}
