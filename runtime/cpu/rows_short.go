package cpu

import "math"

// Elementwise functions of short rows, all of dst's length: they share nothing among threads, so that their operands may
// stand on the stack.

func addRow[T Float](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		VecAdd32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subRow[T Float](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		VecSub32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func subSRow[T Float](dst, a []T, s T) {
	if d, ok := any(dst).([]float32); ok {
		VecSubS32(d, any(a).([]float32), float32(s))
		return
	}
	for i := range dst {
		dst[i] = a[i] - s
	}
}

func divRow[T Float](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		VecDiv32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maxRow[T Float](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		VecMax32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func expRow[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		VecExp32(d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(math.Exp(float64(v)))
	}
}
