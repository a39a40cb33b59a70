package cpu

import "math"

// ReluGrad is
//
//	for i, v := range y {
//		dst[i] = dy[i]
//		if v <= 0 {
//			dst[i] = 0
//		}
//	}
func ReluGrad[T Float](dst, dy, y []T) {
	dy, y = dy[:len(dst)], y[:len(dst)]
	if d, ok := any(dst).([]float32); ok {
		vec2(vecReluGrad, d, any(dy).([]float32), any(y).([]float32))
		return
	}
	for i, v := range y {
		g := dy[i]
		if v <= 0 {
			g = 0
		}
		dst[i] = g
	}
}

// GeluGrad is dst[i] = dy[i]·(Φ(x[i]) + x[i]·φ(x[i])), where φ is the normal
// distribution's density and Φ its cumulative function.
func GeluGrad[T Float](dst, dy, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(vecGeluGrad, d, any(dy).([]float32)[:len(d)], any(x).([]float32)[:len(d)])
		return
	}
	var below, bell [256]T
	for len(dst) > 0 {
		n := min(len(dst), len(below))
		for i, v := range x[:n] {
			below[i] = v * (1 / math.Sqrt2)
			bell[i] = T(v*v) * -0.5
		}
		Erf(below[:n], below[:n])
		Exp(bell[:n], bell[:n])
		for i, v := range x[:n] {
			slope := T((below[i]+1)*0.5) + T(v*T(bell[i]*T(1/math.SqrtPi/math.Sqrt2)))
			dst[i] = dy[i] * slope
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}

// GeluTanhGrad is dst[i] = dy[i]·((1+t)/2 + x·(1-t²)·u'(x)/2) for x = x[i],
// u(x) = √(2/π)·(x+0.044715·x³) and t = tanh(u(x)).
func GeluTanhGrad[T Float](dst, dy, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(vecGeluTanhGrad, d, any(dy).([]float32)[:len(d)], any(x).([]float32)[:len(d)])
		return
	}
	const c = 0.7978845608028653559 // √(2/π)
	var t [256]T
	for len(dst) > 0 {
		n := min(len(dst), len(t))
		for i, v := range x[:n] {
			t[i] = v * (T(T(v*v)*T(0.044715*c)) + c)
		}
		Tanh(t[:n], t[:n])
		for i, v := range x[:n] {
			inner := T(T(v*v)*T(3*0.044715*c/2)) + c/2
			slope := T((t[i]+1)*0.5) + T(v*T((1-T(t[i]*t[i]))*inner))
			dst[i] = dy[i] * slope
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}
