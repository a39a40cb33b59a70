package cpu

// StepLion is a step of Lion.
//
//	for i, w := range w {
//		d := scale * g[i]
//		w[i] = w*(1-rate*decay) - rate*sign(beta1*m[i]+(1-beta1)*d)
//		m[i] = beta2*m[i] + (1-beta2)*d
//	}
func StepLion[T, R Float](w, m, g []T, rate []R, step []int64, scale []R, p StepParams) {
	lr, s, ok := begin[T](rate, scale, &p)
	if !ok {
		return
	}
	shrink(w, 1-lr*p.Decay)
	r := T(lr)
	b1, a1, b2, a2 := T(p.Beta1), T(1-p.Beta1), T(p.Beta2), T(1-p.Beta2)
	m, g = m[:len(w)], g[:len(w)]
	for i, x := range w {
		d := s * g[i]
		switch u := T(b1*m[i]) + T(a1*d); {
		case u > 0:
			w[i] = x - r
		case u < 0:
			w[i] = x + r
		}
		m[i] = T(b2*m[i]) + T(a2*d)
	}
}
