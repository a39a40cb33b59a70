package cpu

import (
	"math"
	"unsafe"
)

// ReduceMaximum is the largest of each group of elements: NaN if there is one, and
// the least value of the type for an empty group.
func ReduceMaximum[T Number](dst, x []T, shape, to []int) {
	fill(dst, least[T]())
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		if d, row, ok := rows(&r, dst, x); ok {
			maxRow(d, d, row)
			continue
		}
		m := dst[r.d]
		if f, ok := any(x).([]float32); ok {
			m = max(m, T(VecReduceMax32(f[r.x:r.x+r.n])))
		} else {
			for _, v := range x[r.x : r.x+r.n] {
				m = max(m, v)
			}
		}
		dst[r.d] = m
	}
}

// ReduceMinimum is the smallest of each group of elements: NaN if there is one, and
// the greatest value of the type for an empty group.
func ReduceMinimum[T Number](dst, x []T, shape, to []int) {
	fill(dst, greatest[T]())
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		if d, row, ok := rows(&r, dst, x); ok {
			minRow(d, d, row)
			continue
		}
		m := dst[r.d]
		if f, ok := any(x).([]float32); ok {
			m = min(m, T(VecReduceMin32(f[r.x:r.x+r.n])))
		} else {
			for _, v := range x[r.x : r.x+r.n] {
				m = min(m, v)
			}
		}
		dst[r.d] = m
	}
}

// ReduceAny reports whether an element of each group holds.
func ReduceAny(dst, x []bool, shape, to []int) {
	fill(dst, false)
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		if d, row, ok := rows(&r, dst, x); ok {
			Or(d, d, row)
			continue
		}
		for _, v := range x[r.x : r.x+r.n] {
			dst[r.d] = dst[r.d] || v
		}
	}
}

// ReduceAll reports whether all elements of each group hold.
func ReduceAll(dst, x []bool, shape, to []int) {
	fill(dst, true)
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		if d, row, ok := rows(&r, dst, x); ok {
			And(d, d, row)
			continue
		}
		for _, v := range x[r.x : r.x+r.n] {
			dst[r.d] = dst[r.d] && v
		}
	}
}

// least is the smallest value of a type, -Inf for floats.
func least[T Number]() T {
	if isFloat[T]() {
		return T(math.Inf(-1))
	}
	var one T = 1
	return -one - greatest[T]() // 0 without a sign
}

// greatest is the largest value of a type, +Inf for floats.
func greatest[T Number]() T {
	var zero T
	switch minus := zero - 1; {
	case isFloat[T]():
		return T(math.Inf(1))
	case minus > 0: // unsigned
		return minus
	}
	bits := 8*unsafe.Sizeof(zero) - 1
	return T(uint64(1)<<bits - 1)
}
