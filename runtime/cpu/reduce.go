package cpu

import "math"

// Reductions take the shape of x and that of dst, in which reduced axes are 1. An element of dst sums its
// terms in the order of x, except that each run of reduced axes at the end is summed separately. Terms of float32 are
// summed in runs of [columnRows] where rows are reduced into others, and in the order of [VecSum32] within a row.

// ReduceSum is the sum of each group of elements, 0 for an empty one.
func ReduceSum[T Number](dst, x []T, shape, to []int) {
	if reduceSums32(dst, x, &sums32, shape, to) {
		return
	}
	reduceWith(dst, x, 0, shape, to,
		func(d, row []T) { addRow(d, d, row) },
		func(so T, row []T) T { return so + sum(row) })
}

// sum is the sum of a row.
func sum[T Number](x []T) T {
	if f, ok := any(x).([]float32); ok {
		return T(VecSum32(f))
	}
	var s T
	for _, v := range x {
		s += v
	}
	return s
}

// ReduceMean is [ReduceSum] divided by the number of elements in a group, 0 for
// an empty one.
func ReduceMean[T Number](dst, x []T, shape, to []int) {
	ReduceSum(dst, x, shape, to)
	if len(dst) == 0 {
		return
	}
	n := T(len(x) / len(dst))
	if n == 0 {
		return // no elements: 0, as torch's exporter expects; the specification leaves it open
	}
	if d, ok := any(dst).([]float32); ok {
		VecDivS32(d, d, float32(n))
		return
	}
	for i, v := range dst {
		dst[i] = v / n
	}
}

// ReduceProd is the product of each group of elements, 1 for an empty one.
func ReduceProd[T Number](dst, x []T, shape, to []int) {
	reduceWith(dst, x, 1, shape, to,
		func(d, row []T) { mulRow(d, d, row) },
		func(so T, row []T) T {
			for _, v := range row {
				so *= v
			}
			return so
		})
}

// ReduceSumSquare is the sum of the squares of each group of elements.
func ReduceSumSquare[T Number](dst, x []T, shape, to []int) {
	if reduceSums32(dst, x, &squares32, shape, to) {
		return
	}
	reduceWith(dst, x, 0, shape, to,
		func(d, row []T) {
			for i, v := range row {
				d[i] += T(v * v)
			}
		},
		func(so T, row []T) T { return so + sumSquare(row) })
}

func sumSquare[T Number](x []T) T {
	if f, ok := any(x).([]float32); ok {
		return T(VecDot32(f, f))
	}
	var s T
	for _, v := range x {
		s += T(v * v)
	}
	return s
}

// ReduceL1 is the sum of the absolute values of each group of elements.
func ReduceL1[T Number](dst, x []T, shape, to []int) {
	if reduceSums32(dst, x, &magnitudes32, shape, to) {
		return
	}
	reduceWith(dst, x, 0, shape, to,
		func(d, row []T) {
			for i, v := range row {
				d[i] += abs(v)
			}
		},
		func(so T, row []T) T {
			for _, v := range row {
				so += abs(v)
			}
			return so
		})
}

func abs[T Number](v T) T {
	if v < 0 {
		return -v
	}
	return v
}

// ReduceL2 is the root of [ReduceSumSquare]; integers are rounded down. Where the squares of integers overflow, and their
// sum is negative, the root is NaN, and that the integer of [Cast].
func ReduceL2[T Number](dst, x []T, shape, to []int) {
	ReduceSumSquare(dst, x, shape, to)
	if d, ok := any(dst).([]float32); ok {
		VecSqrt32(d, d)
		return
	}
	for i, v := range dst {
		root := fromFloat[T](math.Sqrt(float64(v)))
		if !isFloat[T]() && root > 0 && root > v/root {
			root-- // of a number that float64 rounds up
		}
		dst[i] = root
	}
}

// ReduceLogSum is the logarithm of [ReduceSum].
func ReduceLogSum[T Float](dst, x []T, shape, to []int) {
	ReduceSum(dst, x, shape, to)
	Log(dst, dst)
}

// ReduceLogSumExp is
//
//	top = max(x…)
//	dst = top + log(Σ exp(x-top))
//
// for each group of elements. The scratch top has the length of dst.
func ReduceLogSumExp[T Float](dst, x, top []T, shape, to []int) {
	ReduceMaximum(top, x, shape, to)
	for i, v := range top {
		if math.IsInf(float64(v), 0) {
			top[i] = 0
		}
	}
	clear(dst)
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		row := x[r.x : r.x+r.n]
		if r.keep {
			for i, v := range row {
				dst[r.d+i] += T(math.Exp(float64(v - top[r.d+i])))
			}
			continue
		}
		s, m := dst[r.d], top[r.d]
		for _, v := range row {
			s += T(math.Exp(float64(v - m)))
		}
		dst[r.d] = s
	}
	for i, v := range dst {
		dst[i] = top[i] + T(math.Log(float64(v)))
	}
}
