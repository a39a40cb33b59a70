package cpu

import "math"

// StepLAMB is a step of LAMB: the step of Adam, u, is scaled to the length of the parameter. The scratch u
// has the size of w.
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
func StepLAMB[T, R Float](w, m, v, u, g []T, at StepAt[R], p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	// A step of Adam from a copy of w, of which it keeps -decay, results in -u.
	c1, c2 := corrected(&p, at.Step[0])
	copy(u, w)
	k := &stepNumbers[T]{
		scale: s, keep: T(-p.Decay), rate: T(math.Sqrt(c2) / c1), eps: T(p.Epsilon * math.Sqrt(c2)),
		take1: T(1 - p.Beta1), keep2: T(p.Beta2), take2: T(1 - p.Beta2),
	}
	if !step32(stepAdam, u, m, v, nil, g, k) {
		adamGo(u, m, v, nil, g, k)
	}
	if a, b := length(w), length(u); a > 0 && b > 0 {
		lr *= a / b
	}
	subtract(w, u, -1, 0, lr)
}

// length is the Euclidean norm of x. The squares of floats are exact in the sums.
func length[T Float](x []T) float64 {
	var sums [4]float64
	for len(x) >= 4 {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		sums[0] += float64(a * a)
		sums[1] += float64(b * b)
		sums[2] += float64(c * c)
		sums[3] += float64(d * d)
		x = x[4:]
	}
	for _, v := range x {
		sums[0] += float64(float64(v) * float64(v))
	}
	return math.Sqrt(sums[0] + sums[1] + sums[2] + sums[3])
}
