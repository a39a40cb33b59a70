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
// It is computed in the order of section 2 of the paper (Kingma and Ba, 2015), which saves a division: rate and eps are
// multiplied by √(1-beta2^step) instead.
// With top, the largest v so far replaces v (AMSGrad).
func StepAdam[T, R Float](w, m, v, top, g []T, at StepAt[R], p StepParams) {
	if lr, s, ok := begin[T](&at, &p); ok {
		k := stepNumbers[T]{scale: s, decay: T(p.Decay), keep: 1}
		k.adam(lr, at.Step[0], &p)
		adam(w, m, v, top, g, &k)
	}
}

// StepAdamW is a step of AdamW: it subtracts rate·decay of the parameter, and then is [StepAdam].
func StepAdamW[T, R Float](w, m, v, top, g []T, at StepAt[R], p StepParams) {
	if lr, s, ok := begin[T](&at, &p); ok {
		k := stepNumbers[T]{scale: s, keep: T(1 - lr*p.Decay)}
		k.adam(lr, at.Step[0], &p)
		adam(w, m, v, top, g, &k)
	}
}

// adam sets the numbers that both variants of Adam compute with.
func (k *stepNumbers[T]) adam(lr float64, step int64, p *StepParams) {
	c1, c2 := corrected(p, step)
	k.rate, k.eps = T(lr/c1*math.Sqrt(c2)), T(p.Epsilon*math.Sqrt(c2))
	k.take1, k.keep2, k.take2 = T(1-p.Beta1), T(p.Beta2), T(1-p.Beta2)
}

func adam[T Float](w, m, v, top, g []T, k *stepNumbers[T]) {
	piece := stepAdam
	if top != nil {
		piece = stepAdamTop
	}
	if !step32(piece, w, m, v, top, g, k) {
		adamGo(w, m, v, top, g, k)
	}
}

func adamGo[T Float](w, m, v, top, g []T, k *stepNumbers[T]) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	for i, x := range w {
		x *= k.keep
		d := T(k.scale*g[i]) + T(k.decay*x)
		m1 := m[i] + T(k.take1*(d-m[i]))
		v1 := T(k.keep2*v[i]) + T(T(k.take2*d)*d)
		m[i], v[i] = m1, v1
		if top != nil {
			v1 = max(v1, top[i])
			top[i] = v1
		}
		w[i] = x - T(k.rate*m1)/(root(v1)+k.eps)
	}
}
