package cpu

import "math"

// Sin is dst[i] = sin(x[i]).
func Sin[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Sin(float64(v)))
	}
}

// Cos is dst[i] = cos(x[i]).
func Cos[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Cos(float64(v)))
	}
}

// Tan is dst[i] = tan(x[i]).
func Tan[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Tan(float64(v)))
	}
}

// Asin is dst[i] = asin(x[i]).
func Asin[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Asin(float64(v)))
	}
}

// Acos is dst[i] = acos(x[i]).
func Acos[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Acos(float64(v)))
	}
}

// Atan is dst[i] = atan(x[i]).
func Atan[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Atan(float64(v)))
	}
}

// Sinh is dst[i] = sinh(x[i]).
func Sinh[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Sinh(float64(v)))
	}
}

// Cosh is dst[i] = cosh(x[i]).
func Cosh[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Cosh(float64(v)))
	}
}

// Tanh is dst[i] = tanh(x[i]).
func Tanh[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecTanh32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

// Asinh is dst[i] = asinh(x[i]).
func Asinh[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Asinh(float64(v)))
	}
}

// Acosh is dst[i] = acosh(x[i]).
func Acosh[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Acosh(float64(v)))
	}
}

// Atanh is dst[i] = atanh(x[i]).
func Atanh[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Atanh(float64(v)))
	}
}

// Atan2 is dst[i], the angle of the point (b[i], a[i]), where an operand of one element stands
// for all.
func Atan2[T Float](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = T(math.Atan2(float64(a[i&da]), float64(b[i&db])))
	}
}
