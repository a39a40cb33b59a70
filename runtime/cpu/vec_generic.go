package cpu

import "math"

// The loops of vec.go in Go.

func vecAddGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func vecAddSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] + s
	}
}

func vecSubGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func vecSubSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] - s
	}
}

func vecMulGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func vecMulSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] * s
	}
}

func vecDivGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func vecDivSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] / s
	}
}

func vecMaxGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func vecMaxSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = max(a[i], s)
	}
}

func vecMinGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

func vecMinSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = min(a[i], s)
	}
}

func vecRSubSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = s - a[i]
	}
}

func vecRDivSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = s / a[i]
	}
}

func vecAxpyGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] += float32(s * a[i])
	}
}

// vecMulMulSGo multiplies dst by s and by a.
func vecMulMulSGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = float32(dst[i]*s) * a[i]
	}
}

func vecReluGo(dst, x []float32) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func vecSqrtGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = sqrt32(v)
	}
}

func vecExpGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)))
	}
}

// vecExpSubSGo is dst[i] = exp(a[i] - s).
func vecExpSubSGo(dst, a []float32, s float32) {
	for i, v := range a {
		dst[i] = float32(math.Exp(float64(v - s)))
	}
}

func vecLogGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Log(float64(v)))
	}
}

func vecTanhGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

func vecSigmoidGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
}

func vecErfGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Erf(float64(v)))
	}
}

func vecGeluGo(dst, x []float32) {
	for i, v := range x {
		w := float64(v)
		dst[i] = float32(w / 2 * (1 + math.Erf(w/math.Sqrt2)))
	}
}

func vecGeluTanhGo(dst, x []float32) {
	const c = 0.7978845608028653559 // √(2/π)
	for i, v := range x {
		w := float64(v)
		dst[i] = float32(w / 2 * (1 + math.Tanh(c*(w+float64(0.044715*w*w*w)))))
	}
}

func vecSiluGo(dst, x []float32) {
	for i, v := range x {
		w := float64(v)
		dst[i] = float32(w / (1 + math.Exp(-w)))
	}
}

func vecSumGo(x []float32) float32 {
	var s [64]float32
	for len(x) >= 64 {
		for j, v := range x[:64] {
			s[j] += v
		}
		x = x[64:]
	}
	for j, v := range x {
		s[j] += v
	}
	return fold(&s)
}

func vecDotGo(x, y []float32) float32 {
	var s [64]float32
	for i, v := range x {
		s[i%64] += float32(v * y[i])
	}
	return fold(&s)
}

// fold adds s up, halves onto halves.
func fold(s *[64]float32) float32 {
	for n := 32; n > 0; n /= 2 {
		for j := range n {
			s[j] += s[j+n]
		}
	}
	return s[0]
}

func vecReduceMaxGo(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

func vecReduceMinGo(x []float32) float32 {
	low := float32(math.Inf(1))
	for _, v := range x {
		low = min(low, v)
	}
	return low
}
