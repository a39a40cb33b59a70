package cpu

import "math"

// momentsBlock is the number of differences from the mean that are on the stack at a time.
const momentsBlock = 512

// sumRow returns Σx, in an order that depends only on the length.
func sumRow[T Float](x []T) T {
	if x, ok := any(x).([]float32); ok {
		return T(VecSum32(x))
	}
	var s T
	for _, v := range x {
		s += v
	}
	return s
}

// squares returns Σ(x-mean)², in an order that depends only on the length.
func squares[T Float](x []T, mean T) T {
	var s T
	if x, ok := any(x).([]float32); ok {
		var buf [momentsBlock]float32
		for len(x) > 0 {
			d := buf[:min(len(x), momentsBlock)]
			VecSubS32(d, x, float32(mean))
			s += T(VecDot32(d, d))
			x = x[len(d):]
		}
		return s
	}
	for _, v := range x {
		d := v - mean
		s += T(d * d)
	}
	return s
}

// invSqrt is 1/√x.
func invSqrt[T Float](x T) T { return 1 / T(math.Sqrt(float64(x))) }

// scaleShift is dst[i] = x[i]*a + b.
func scaleShift[T Float](dst, x []T, a, b T) {
	if d, ok := any(dst).([]float32); ok {
		VecMulS32(d, any(x).([]float32), float32(a))
		VecAddS32(d, d, float32(b))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(v*a) + b
	}
}
