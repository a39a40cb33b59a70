package cpu

// StepLion is a step of Lion.
//
//	for i, w := range w {
//		d := scale * g[i]
//		w[i] = w*(1-rate*decay) - rate*sign(beta1*m[i]+(1-beta1)*d)
//		m[i] = beta2*m[i] + (1-beta2)*d
//	}
func StepLion[T, R Float](w, m, g []T, at StepAt[R], p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	k := &stepNumbers[T]{scale: s, rate: T(lr), keep: T(1 - lr*p.Decay),
		keep1: T(p.Beta1), take1: T(1 - p.Beta1), keep2: T(p.Beta2), take2: T(1 - p.Beta2)}
	if !step32(stepLion, w, m, nil, nil, g, k) {
		lionGo(w, m, nil, nil, g, k)
	}
}

func lionGo[T Float](w, m, _, _, g []T, k *stepNumbers[T]) {
	m, g = m[:len(w)], g[:len(w)]
	for i, x := range w {
		x *= k.keep
		d := k.scale * g[i]
		switch u := T(k.keep1*m[i]) + T(k.take1*d); {
		case u > 0:
			x -= k.rate
		case u < 0:
			x += k.rate
		}
		w[i] = x
		m[i] = T(k.keep2*m[i]) + T(k.take2*d)
	}
}
