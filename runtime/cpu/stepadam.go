package cpu

import "math"

// StepAdam is a step of Adam. The decay is added to the gradient.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		m[i] += (1-beta1) * (d - m[i])
//		v[i] = beta2*v[i] + (1-beta2)*d*d
//		w[i] = w - rate/(1-beta1^step) * m[i]/(√v[i]/√(1-beta2^step)+eps)
//	}
//
// With top, the largest v so far stands for v (AMSGrad).
func StepAdam[T, R Float](w, m, v, top, g []T, rate []R, step []int64, scale []R, p StepParams) {
	if lr, s, ok := begin[T](rate, scale, &p); ok {
		adam(w, m, v, top, g, lr, s, T(p.Decay), step[0], &p)
	}
}

// StepAdamW is a step of AdamW: the decay takes rate·decay of the parameter
// away, and the rest is [StepAdam].
func StepAdamW[T, R Float](w, m, v, top, g []T, rate []R, step []int64, scale []R, p StepParams) {
	if lr, s, ok := begin[T](rate, scale, &p); ok {
		shrink(w, 1-lr*p.Decay)
		adam(w, m, v, top, g, lr, s, 0, step[0], &p)
	}
}

// shrink multiplies w by keep.
func shrink[T Float](w []T, keep float64) {
	if keep == 1 {
		return
	}
	k := T(keep)
	for i := range w {
		w[i] *= k
	}
}

func adam[T Float](w, m, v, top, g []T, lr float64, s, decay T, step int64, p *StepParams) {
	c1, c2 := corrected(p, step)
	r, c := T(lr/c1), T(math.Sqrt(c2))
	b1, b2, a2, eps := T(1-p.Beta1), T(p.Beta2), T(1-p.Beta2), T(p.Epsilon)
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(s*g[i]) + T(decay*x)
		m1 := m[i] + T(b1*(d-m[i]))
		v1 := T(b2*v[i]) + T(T(a2*d)*d)
		m[i], v[i] = m1, v1
		if top != nil {
			v1 = max(v1, top[i])
			top[i] = v1
		}
		w[i] = x - T(r*m1)/(root(v1)/c+eps)
	}
}
