package cpu

import "math"

// Sigmoid is dst[i] = 1/(1+exp(-x[i])).
func Sigmoid[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecSigmoid32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(1 / (1 + math.Exp(-float64(v))))
	}
}

// HardSigmoid is dst[i] = max(0, min(1, alpha·x[i]+beta)).
func HardSigmoid[T Float](dst, x []T, alpha, beta float64) {
	if d, ok := any(dst).([]float32); ok {
		hardSigmoid32(d, any(x).([]float32), float32(alpha), float32(beta))
		return
	}
	a, b := T(alpha), T(beta)
	for i, v := range x[:len(dst)] {
		dst[i] = max(0, min(1, T(a*v)+b))
	}
}

// HardSwish is dst[i] = x[i]·max(0, min(1, x[i]/6+1/2)).
func HardSwish[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecHardSwish32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = v * max(0, min(1, v/6+0.5))
	}
}

// stepBlock is the number of elements that pass from one step of a function to the next: few enough to stay
// in L1.
const stepBlock = 512

func hardSigmoid32(dst, x []float32, alpha, beta float32) {
	for len(dst) > 0 {
		n := min(stepBlock, len(dst))
		d := dst[:n]
		VecMulS32(d, x[:n], alpha)
		VecAddS32(d, d, beta)
		VecMinS32(d, d, 1)
		VecMaxS32(d, d, 0)
		dst, x = dst[n:], x[n:]
	}
}

// Softplus is dst[i] = log(1+exp(x[i])), written so that nothing overflows.
func Softplus[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(softplus32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(softplus(float64(v)))
	}
}

func softplus(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// Softsign is dst[i] = x[i]/(1+|x[i]|).
func Softsign[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = v / (1 + max(v, -v))
	}
}

// Mish is dst[i] = x[i]·tanh(softplus(x[i])).
func Mish[T Float](dst, x []T) {
	for i, v := range x[:len(dst)] {
		w := float64(v)
		dst[i] = T(w * math.Tanh(softplus(w)))
	}
}

// Gelu is dst[i] = x[i]/2·(1+erf(x[i]/√2)).
func Gelu[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecGelu32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		w := float64(v)
		dst[i] = T(w / 2 * (1 + math.Erf(w/math.Sqrt2)))
	}
}

// GeluTanh is dst[i] = x/2·(1+tanh(√(2/π)·(x+0.044715·x³))) for x = x[i].
func GeluTanh[T Float](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecGeluTanh32, d, any(x).([]float32))
		return
	}
	const c = 0.7978845608028653559 // √(2/π)
	for i, v := range x[:len(dst)] {
		w := float64(v)
		dst[i] = T(w / 2 * (1 + math.Tanh(c*(w+float64(0.044715*w*w*w)))))
	}
}

// Swish is dst[i] = x[i]/(1+exp(-alpha·x[i])).
func Swish[T Float](dst, x []T, alpha float64) {
	if d, ok := any(dst).([]float32); ok && alpha == 1 {
		vec1(VecSilu32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = T(swish(float64(v), alpha))
	}
}

func swish(v, alpha float64) float64 { return v / (1 + math.Exp(-alpha*v)) }

// SwiGLU is dst[i] = a[i]/(1+exp(-alpha·a[i]))·b[i].
func SwiGLU[T Float](dst, a, b []T, alpha float64) {
	b = b[:len(dst)]
	if d, ok := any(dst).([]float32); ok && alpha == 1 {
		swiglu32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	for i, v := range a[:len(dst)] {
		dst[i] = T(swish(float64(v), alpha) * float64(b[i]))
	}
}

func swiglu32(dst, a, b []float32) {
	var gate [stepBlock]float32
	for len(dst) > 0 {
		n := min(stepBlock, len(dst))
		VecSilu32(gate[:n], a[:n])
		VecMul32(dst[:n], gate[:n], b[:n])
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}
