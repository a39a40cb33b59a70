package cpu

import "math"

// L2Norm divides rows of n elements by their norm, or by least where that is greater:
//
//	for i, row := range rows {
//		f := 1 / max(√Σrow², least)
//		for j, v := range row {
//			dst[i*n+j] = v * f
//		}
//	}
func L2Norm[T Float](dst, x []T, n int, least float64) {
	if n == 0 {
		return
	}
	if d, ok := any(dst).([]float32); ok {
		t := rowTasks.get()
		*t = rowTask{row: l2NormRow, some: l2NormSome, dst: d, x: any(x).([]float32), n: n, eps: least}
		t.do(4)
		return
	}
	for i := range len(dst) / n {
		d, x := row(dst, i, n), row(x, i, n)
		f := 1 / max(T(math.Sqrt(float64(sumSquare(x)))), T(least))
		for j, v := range x {
			d[j] = v * f
		}
	}
}

// l2NormSome is l2NormRow for whole groups, with the same bits.
func l2NormSome(t *rowTask, i, rows int) bool {
	return l2NormRowsAtLevel(t.dst[i*t.n:], t.x[i*t.n:], t.n, rows, float32(t.eps))
}

func l2NormRow(t *rowTask, i int) {
	x := row(t.x, i, t.n)
	VecMulS32(row(t.dst, i, t.n), x, 1/max(sqrt32(VecDot32(x, x)), float32(t.eps)))
}
