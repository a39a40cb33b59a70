package cpu

// RMSNorm divides rows of n elements by their root mean square:
//
//	for i, row := range rows {
//		for j, v := range row {
//			dst[i*n+j] = v / √(Σrow²/n + eps) * scale[j]
//		}
//	}
//
// A nil scale stands for ones.
func RMSNorm[T, V Float](dst []V, x []T, scale []V, n int, eps float64) {
	if n == 0 {
		return
	}
	d, ok := any(dst).([]float32)
	if x32, same := any(x).([]float32); ok && same {
		t := rowTasks.get()
		*t = rowTask{row: rmsNormRow, dst: d, x: x32, scale: any(scale).([]float32), n: n, eps: eps}
		t.do(3)
		return
	}
	for i := range len(dst) / n {
		x := row(x, i, n)
		f := invSqrt(squares(x, 0)/T(n) + T(eps))
		rmsRow(row(dst, i, n), x, scale, f)
	}
}

// rmsRow is dst[j] = x[j]*f*scale[j].
func rmsRow[T, V Float](dst []V, x []T, scale []V, f T) {
	d, ok := any(dst).([]float32)
	x32, same := any(x).([]float32)
	switch {
	case ok && same && scale != nil:
		VecMulS32(d, x32, float32(f))
		VecMul32(d, d, any(scale).([]float32))
	case ok && same:
		VecMulS32(d, x32, float32(f))
	case scale != nil:
		for j, v := range x {
			dst[j] = V(v*f) * scale[j]
		}
	default:
		for j, v := range x {
			dst[j] = V(v * f)
		}
	}
}
