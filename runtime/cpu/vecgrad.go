package cpu

import "math"

// The parts of the kernels of gradients, as in vec.go: the operands have dst's length. Only the slopes of
// Gelu use fused multiply-adds.

// vecReluGradGo is dst[i] = dy[i] where y[i] is above 0, and 0 elsewhere.
func vecReluGradGo(dst, dy, y []float32) {
	for i, v := range y {
		g := dy[i]
		if v <= 0 {
			g = 0
		}
		dst[i] = g
	}
}

// vecGeluGradGo is dst[i] = dy[i]·(Φ(x[i]) + x[i]·φ(x[i])), the sum within 2⁻²².
func vecGeluGradGo(dst, dy, x []float32) {
	for i, v := range x {
		bell := exp32(float32(v*v) * -0.5)
		t := 1 / (float32(abs32(v)*float32(0.3275911*math.Sqrt2/2)) + 1)
		p := poly5(t, 1.061405429/2, -1.453152027/2, 1.421413741/2, -0.284496736/2, 0.254829592/2)
		below := float32(p*t) * bell
		if v >= 0 {
			below = 1 - below
		}
		dst[i] = dy[i] * (below + float32(float32(v*bell)*float32(1/math.Sqrt2/math.SqrtPi)))
	}
}

// vecGeluTanhGradGo is dst[i] = dy[i]·s·(1 + x·(1-s)·u'(x)) for x = x[i], where u(x) = √(8/π)·(x+0.044715·x³) and
// s = sigmoid(u(x)).
func vecGeluTanhGradGo(dst, dy, x []float32) {
	const c = 2 * 0.7978845608028653559 // √(8/π)
	for i, v := range x {
		z := float32(v * v)
		s := sigmoid32((float32(z*(c*0.044715)) + c) * v)
		slope := float32(z*(3*c*0.044715)) + c
		dst[i] = dy[i] * (float32(float32(float32(v*(1-s))*slope)*s) + s)
	}
}

// vecSubSMulGo is dst[i] = (a[i] - s)·b[i].
func vecSubSMulGo(dst, a, b []float32, s float32) {
	for i := range dst {
		dst[i] = (a[i] - s) * b[i]
	}
}

// vecMulAddGo is dst[i] += a[i]·b[i].
func vecMulAddGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] += float32(a[i] * b[i])
	}
}

// vecNormGradGo is dst[i] = (h[i] - a - u[i]·b)·c.
func vecNormGradGo(dst, h, u []float32, a, b, c float32) {
	for i := range dst {
		dst[i] = (h[i] - a - float32(u[i]*b)) * c
	}
}
