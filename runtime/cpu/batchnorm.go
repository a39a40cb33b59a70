package cpu

import "math"

// BatchNorm computes the affine function that normalizes a channel:
//
//	for c := range a {
//		a[c] = scale[c] / √(variance[c] + eps)
//		b[c] = bias[c] - mean[c]*a[c]
//	}
func BatchNorm[T, S, M Float](a, b []T, scale, bias []S, mean, variance []M, eps float64) {
	for c := range a {
		f := float64(scale[c]) / math.Sqrt(float64(variance[c])+eps)
		a[c] = T(f)
		b[c] = T(float64(bias[c]) - float64(float64(mean[c])*f))
	}
}

// BatchMoments computes the mean and the variance of each channel of x, which is [batch, len(mean), inner].
func BatchMoments[T, M Float](mean, variance []M, x []T, inner int) {
	channels := len(mean)
	batch := 0
	if channels*inner > 0 {
		batch = len(x) / (channels * inner)
	}
	n := float64(batch * inner)
	for c := range channels {
		var s, q float64
		for i := range batch {
			at := (i*channels + c) * inner
			s += float64(sumRow(x[at : at+inner]))
		}
		m := s / n
		for i := range batch {
			at := (i*channels + c) * inner
			q += float64(squares(x[at:at+inner], T(m)))
		}
		mean[c], variance[c] = M(m), M(q/n)
	}
}

// Blend moves a running average towards a new value:
//
//	for i := range dst {
//		dst[i] = old[i]*momentum + now[i]*(1-momentum)
//	}
func Blend[T Float](dst, old, now []T, momentum float64) {
	for i := range dst {
		dst[i] = T(old[i]*T(momentum)) + T(now[i]*T(1-momentum))
	}
}

// Affine multiplies each channel of x, which is [batch, len(a), inner], by its factor and adds its offset:
//
//	for i := range batch {
//		for c := range a {
//			dst[i][c] = x[i][c]*a[c] + b[c]
//		}
//	}
func Affine[T Float](dst, x, a, b []T, inner int) {
	if len(dst) == 0 {
		return
	}
	if inner == 1 {
		for n := len(a); len(dst) > 0; dst, x = dst[n:], x[n:] {
			scaleShiftEach(dst[:n], x[:n], a, b)
		}
		return
	}
	for c := 0; len(dst) > 0; c++ {
		if c == len(a) {
			c = 0
		}
		scaleShift(dst[:inner], x[:inner], a[c], b[c])
		dst, x = dst[inner:], x[inner:]
	}
}

// scaleShiftEach is dst[i] = x[i]*a[i] + b[i].
func scaleShiftEach[T Float](dst, x, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		VecMul32(d, any(x).([]float32), any(a).([]float32))
		VecAdd32(d, d, any(b).([]float32))
		return
	}
	for i := range dst {
		dst[i] = T(x[i]*a[i]) + b[i]
	}
}
