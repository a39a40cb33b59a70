package cpu

import "math"

// StepLAMB is a step of LAMB: the step that Adam would make, u, is brought to
// the length of the parameter. The scratch u has the size of w.
//
//	for i, w := range w {
//		d := scale * g[i]
//		m[i] = beta1*m[i] + (1-beta1)*d
//		v[i] = beta2*v[i] + (1-beta2)*d*d
//		u[i] = m[i]/(1-beta1^step) / (√(v[i]/(1-beta2^step))+eps) + decay*w
//	}
//	for i := range w {
//		w[i] -= rate * ‖w‖/‖u‖ * u[i] // or rate*u[i], where a length is 0
//	}
func StepLAMB[T, R Float](w, m, v, u, g []T, rate []R, step []int64, scale []R, p StepParams) {
	lr, s, ok := begin[T](rate, scale, &p)
	if !ok {
		return
	}
	c1, c2 := corrected(&p, step[0])
	b1, a1, b2, a2 := T(p.Beta1), T(1-p.Beta1), T(p.Beta2), T(1-p.Beta2)
	f1, f2, decay, eps := T(c1), T(c2), T(p.Decay), T(p.Epsilon)
	m, v, u, g = m[:len(w)], v[:len(w)], u[:len(w)], g[:len(w)]
	for i, x := range w {
		d := s * g[i]
		m[i] = T(b1*m[i]) + T(a1*d)
		v[i] = T(b2*v[i]) + T(T(a2*d)*d)
		u[i] = m[i]/f1/(root(v[i]/f2)+eps) + T(decay*x)
	}
	if a, b := length(w), length(u); a > 0 && b > 0 {
		lr *= a / b
	}
	r := T(lr)
	for i := range w {
		w[i] -= T(r * u[i])
	}
}

// length is the Euclidean norm of x.
func length[T Float](x []T) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
