package cpu

// LayerNorm normalizes rows of n elements:
//
//	for i, row := range rows {
//		mean[i] = Σrow/n
//		invStd[i] = 1/√(Σ(row-mean[i])²/n + eps)
//		for j, v := range row {
//			dst[i*n+j] = (v-mean[i])*invStd[i]*scale[j] + bias[j]
//		}
//	}
//
// mean and invStd may be nil; a nil scale stands for ones, a nil bias for
// zeros.
func LayerNorm[T Float](dst, mean, invStd, x, scale, bias []T, n int, eps float64) {
	if n == 0 {
		return
	}
	if d, ok := any(dst).([]float32); ok {
		as32 := func(v []T) []float32 { return any(v).([]float32) }
		t := rowTasks.get()
		*t = rowTask{row: layerNormRow, some: layerNormSome, dst: d, x: as32(x), scale: as32(scale), bias: as32(bias), mean: as32(mean), invStd: as32(invStd), n: n, eps: eps}
		t.do(2)
		return
	}
	for i := range len(dst) / n {
		row, d := x[i*n:(i+1)*n], dst[i*n:(i+1)*n]
		m := sumRow(row) / T(n)
		f := invSqrt(squares(row, m)/T(n) + T(eps))
		normalize(d, row, scale, bias, m, f)
		if mean != nil {
			mean[i] = m
		}
		if invStd != nil {
			invStd[i] = f
		}
	}
}

// normalize is dst[j] = (x[j]-mean)*f*scale[j] + bias[j].
func normalize[T Float](dst, x, scale, bias []T, mean, f T) {
	if d, ok := any(dst).([]float32); ok {
		VecSubS32(d, any(x).([]float32), float32(mean))
		if scale == nil {
			VecMulS32(d, d, float32(f))
		} else {
			vecMulMulS(d, any(scale).([]float32)[:len(d)], float32(f))
		}
		if bias != nil {
			VecAdd32(d, d, any(bias).([]float32))
		}
		return
	}
	for j, v := range x {
		v = T((v - mean) * f)
		if scale != nil {
			v = T(v * scale[j])
		}
		if bias != nil {
			v += bias[j]
		}
		dst[j] = v
	}
}
