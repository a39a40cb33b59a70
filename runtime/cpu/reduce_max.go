package cpu

import (
	"math"
	"slices"
	"unsafe"
)

// ReduceMaximum is the largest element of each group: NaN if there is one, and the smallest value of the type
// for an empty group.
func ReduceMaximum[T Number](dst, x []T, shape, to []int) {
	reduceWith(dst, x, lowest[T](), shape, to,
		func(d, row []T) { maxRow(d, d, row) },
		func(so T, row []T) T {
			if f, ok := any(row).([]float32); ok {
				return max(so, T(VecReduceMax32(f)))
			}
			for _, v := range row {
				so = max(so, v)
			}
			return so
		})
}

// ReduceMinimum is the smallest element of each group: NaN if there is one, and the largest value of the type
// for an empty group.
func ReduceMinimum[T Number](dst, x []T, shape, to []int) {
	reduceWith(dst, x, greatest[T](), shape, to,
		func(d, row []T) { minRow(d, d, row) },
		func(so T, row []T) T {
			if f, ok := any(row).([]float32); ok {
				return min(so, T(VecReduceMin32(f)))
			}
			for _, v := range row {
				so = min(so, v)
			}
			return so
		})
}

// ReduceAny reports whether any element of each group is true.
func ReduceAny(dst, x []bool, shape, to []int) {
	reduceWith(dst, x, false, shape, to,
		func(d, row []bool) { Or(d, d, row) },
		func(so bool, row []bool) bool { return so || slices.Contains(row, true) })
}

// ReduceAll reports whether all elements of each group are true.
func ReduceAll(dst, x []bool, shape, to []int) {
	reduceWith(dst, x, true, shape, to,
		func(d, row []bool) { And(d, d, row) },
		func(so bool, row []bool) bool { return so && !slices.Contains(row, false) })
}

// lowest is the smallest value of a type, -Inf for floats.
func lowest[T Number]() T {
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
