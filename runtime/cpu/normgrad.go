package cpu

import "math"

// NormParams is the parameters of [LayerNormGrad].
type NormParams struct {
	N      int // elements of a row
	Eps    float64
	Center bool // the mean is subtracted; otherwise it is taken as 0
}

// LayerNormGrad is the gradient of [LayerNorm] by x, scale and bias:
//
//	for i, row := range rows {
//		x̂ := (row - mean(row)) / √(variance(row)+Eps)
//		h := dy[i] * scale
//		dx[i] = (h - mean(h) - x̂·mean(h·x̂)) / √(variance(row)+Eps)
//		dscale += dy[i] * x̂
//		dbias += dy[i]
//	}
//
// Without Center, the term mean(h) is omitted. Any of dx, dscale and dbias may be nil.
func LayerNormGrad[T Float](dx, dscale, dbias, dy, x, scale []T, o NormParams) {
	clear(dscale)
	clear(dbias)
	if o.N == 0 {
		return
	}
	if x, ok := any(x).([]float32); ok {
		t := normGradTasks.get()
		*t = normGradTask{dx: any(dx).([]float32), dy: any(dy).([]float32), x: x, scale: any(scale).([]float32), n: o.N, eps: float32(o.Eps), center: o.Center}
		t.do(any(dscale).([]float32), any(dbias).([]float32))
		return
	}
	for i := range len(x) / o.N {
		row, g := x[i*o.N:(i+1)*o.N], dy[i*o.N:(i+1)*o.N]
		var m, c T
		if o.Center {
			m, c = sumRow(row)/T(o.N), 1
		}
		f := invSqrt(squares(row, m)/T(o.N) + T(o.Eps))
		if dscale != nil {
			addUnit(dscale, g, row, m, f)
		}
		if dbias != nil {
			addRow(dbias, dbias, g)
		}
		if dx != nil {
			normRowGrad(dx[i*o.N:(i+1)*o.N], g, row, scale, m, f, c)
		}
	}
}

// addUnit is dst[j] += dy[j]·(x[j]-mean)·f.
func addUnit[T Float](dst, dy, x []T, mean, f T) {
	dy, x = dy[:len(dst)], x[:len(dst)]
	for j := range dst {
		dst[j] += T(dy[j] * T((x[j]-mean)*f))
	}
}

// normRowGrad is the gradient of one row, where f is 1/σ. With center 0 the mean of h is not subtracted.
func normRowGrad[T Float](dst, dy, x, scale []T, mean, f, center T) {
	n := T(len(dst))
	dy, x, scale = dy[:len(dst)], x[:len(dst)], scale[:len(dst)]
	for j := range dst {
		dst[j] = dy[j] * scale[j]
	}
	sum := center * sumRow(dst) / n
	var dot T
	for j, v := range x {
		dot += T(dst[j] * T((v-mean)*f))
	}
	dot /= n
	for j, v := range x {
		dst[j] = (dst[j] - sum - T(T((v-mean)*f)*dot)) * f
	}
}

// BatchNormGrad is the gradient of a normalization of each channel of x, which is [batch, len(scale), inner],
// by its own moments, like [LayerNormGrad] for rows. Any of dx, dscale and dbias may be nil.
func BatchNormGrad[T, S Float](dx []T, dscale, dbias []S, dy, x []T, scale []S, inner int, eps float64) {
	channels := len(scale)
	if len(x) == 0 {
		clear(dscale)
		clear(dbias)
		return
	}
	batch := len(x) / (channels * inner)
	n := T(batch * inner)
	for c := range channels {
		var total, square, sum, dot T
		for i := range batch {
			total += sumRow(row(x, i*channels+c, inner))
		}
		mean := total / n
		for i := range batch {
			square += squares(row(x, i*channels+c, inner), mean)
		}
		f := 1 / T(math.Sqrt(float64(square/n)+eps))
		for i := range batch {
			g := row(dy, i*channels+c, inner)
			sum += sumRow(g)
			dot += unitDot(g, row(x, i*channels+c, inner), mean, f)
		}
		if dscale != nil {
			dscale[c] = S(dot)
		}
		if dbias != nil {
			dbias[c] = S(sum)
		}
		if dx == nil {
			continue
		}
		a := T(T(scale[c]) * f)
		for i := range batch {
			d, g := row(dx, i*channels+c, inner), row(dy, i*channels+c, inner)
			for j, v := range row(x, i*channels+c, inner) {
				d[j] = a * (g[j] - sum/n - T(T((v-mean)*f)*(dot/n)))
			}
		}
	}
}

// unitDot is Σ dy·(x-mean)·f.
func unitDot[T Float](dy, x []T, mean, f T) T {
	var s T
	dy = dy[:len(x)]
	for j, v := range x {
		s += T(dy[j] * (v - mean))
	}
	return s * f
}
