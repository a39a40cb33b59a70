package cpu

// StepSGD is a step of gradient descent, with momentum if there is a velocity.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		v[i] = momentum*v[i] + (1-dampening)*d // d in the first step
//		w[i] = w - rate*v[i]                   // Nesterov: rate*(d + momentum*v[i])
//	}
func StepSGD[T, R Float](w, v, g []T, rate []R, step []int64, scale []R, p StepParams) {
	lr, s, ok := begin[T](rate, scale, &p)
	if !ok {
		return
	}
	r, decay := T(lr), T(p.Decay)
	g = g[:len(w)]
	if v == nil {
		for i, x := range w {
			w[i] = x - T(r*(T(s*g[i])+T(decay*x)))
		}
		return
	}
	keep, take := T(p.Momentum), T(1-p.Dampening)
	if step[0] == 1 {
		take = 1 // v is 0
	}
	v = v[:len(w)]
	if p.Nesterov {
		for i, x := range w {
			d := T(s*g[i]) + T(decay*x)
			v[i] = T(keep*v[i]) + T(take*d)
			w[i] = x - T(r*(d+T(keep*v[i])))
		}
		return
	}
	for i, x := range w {
		d := T(s*g[i]) + T(decay*x)
		v[i] = T(keep*v[i]) + T(take*d)
		w[i] = x - T(r*v[i])
	}
}
