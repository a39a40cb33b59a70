package cpu

import "math"

// Exp is dst[i] = exp(x[i]).
func Exp[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecExp32, d, any(x).([]float32))
		return
	}
	expRow(dst, x)
}

// expRow is [Exp] on one thread.
func expRow[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		VecExp32(d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Exp(float64(v)))
	}
}

// Log is dst[i] = log(x[i]).
func Log[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecLog32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Log(float64(v)))
	}
}

// Sqrt is dst[i] = √x[i].
func Sqrt[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecSqrt32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Sqrt(float64(v)))
	}
}

// Erf is dst[i] = erf(x[i]).
func Erf[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecErf32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Erf(float64(v)))
	}
}

// Reciprocal is dst[i] = 1 / x[i].
func Reciprocal[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		VecRDivS32(d, any(x).([]float32), 1)
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = 1 / v
	}
}
