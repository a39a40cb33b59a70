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
		dst[i] = exp32(v)
	}
}

// vecExpSubSGo is dst[i] = exp(a[i] - s).
func vecExpSubSGo(dst, a []float32, s float32) {
	for i, v := range a {
		dst[i] = exp32(v - s)
	}
}

func vecLogGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = log32(v)
	}
}

func vecTanhGo(dst, x []float32) {
	for i, v := range x {
		if s := float32(v * v); s < 0.625*0.625 {
			p := poly5(s, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
			dst[i] = v + float32(float32(p*s)*v)
		} else {
			abs := abs32(v)
			dst[i] = withSign(1-2/(exp32(abs+abs)+1), v)
		}
	}
}

func vecSigmoidGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = sigmoid32(v)
	}
}

func vecErfGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = erf32(v)
	}
}

func vecGeluGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(v*0.5) * (1 + erf32(v*(math.Sqrt2/2)))
	}
}

func vecGeluTanhGo(dst, x []float32) {
	const c = 2 * 0.7978845608028653559 // 2·√(2/π)
	for i, v := range x {
		u := float32(float32(v*v)*(c*0.044715)) + c
		dst[i] = v * sigmoid32(u*v)
	}
}

func vecSiluGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = v * sigmoid32(v)
	}
}

func vecHardSwishGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = v * max(0, min(1, float32(v*(1./6))+0.5))
	}
}

// The formulas of the assembly (_asm/vec/formulas.go), without fused operations on any architecture. They
// remain in float32: conversions would make each element depend on the previous one on amd64.

func exp32(x float32) float32 {
	const rounder = 3 << 22 // its addition leaves the nearest integer in the low bits
	switch {
	case x > 89:
		return float32(math.Inf(1))
	case x < -104:
		return 0
	}
	t := float32(x*math.Log2E) + rounder
	n := t - rounder
	r := x - float32(n*0.693359375)
	r += float32(n * 2.12194440e-4)
	p := poly6(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	p = 1 + (r + float32(p*float32(r*r)))
	i := int32(math.Float32bits(t)) << 9 >> 9 // n
	half := i >> 1                            // 2ⁿ may not be a normal number
	return float32(p*math.Float32frombits(uint32(half+127)<<23)) * math.Float32frombits(uint32(i-half+127)<<23)
}

func log32(x float32) float32 {
	const sqrtHalf = 0x3f3504f3
	e := float32(0)
	switch {
	case x != x || x < 0:
		return float32(math.NaN())
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	case x < 0x1p-126:
		x, e = x*(1<<23), -23
	}
	i := int32(math.Float32bits(x)) - sqrtHalf
	e += float32(i >> 23)
	m := math.Float32frombits(uint32(i&0x007fffff+sqrtHalf)) - 1
	p := poly5(m, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1)
	p = poly5(m, p, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	z := float32(m * m)
	p = float32(float32(p*m)*z) - float32(e*2.12194440e-4)
	p -= float32(0.5 * z)
	return float32(e*0.693359375) + (m + p)
}

func sigmoid32(x float32) float32 {
	e := exp32(-abs32(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func erf32(x float32) float32 {
	abs, s := abs32(x), float32(x*x)
	if abs < 0.927734375 {
		p := poly6(s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
		return x + float32(p*x)
	}
	r := poly7(abs, -1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1)
	return withSign(1-exp32(float32(r*abs)-abs), x)
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// withSign returns x ≥ 0 with the sign of y.
func withSign(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y)&(1<<31))
}

// poly5 evaluates a polynomial, the highest coefficient first.
func poly5(x, a, b, c, d, e float32) float32 {
	return float32((float32((float32((float32(a*x)+b)*x)+c)*x)+d)*x) + e
}

func poly6(x, a, b, c, d, e, f float32) float32 { return float32(poly5(x, a, b, c, d, e)*x) + f }

func poly7(x, a, b, c, d, e, f, g float32) float32 { return float32(poly6(x, a, b, c, d, e, f)*x) + g }

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

// fold adds up s in halves.
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
