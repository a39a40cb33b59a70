package cpu

// StepSGD is a step of gradient descent, with momentum if there is a velocity.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		v[i] = momentum*v[i] + (1-dampening)*d // d in the first step
//		w[i] = w - rate*v[i]                   // Nesterov: rate*(d + momentum*v[i])
//	}
func StepSGD[T, R Float](w, v, g []T, at StepAt[R], p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	k := &stepNumbers[T]{scale: s, decay: T(p.Decay), rate: T(lr), keep1: T(p.Momentum), take1: T(1 - p.Dampening)}
	if v != nil && at.Step[0] == 1 { // v is 0
		k.take1 = 1
	}
	// NB: no function variables: their arguments would escape to the heap.
	switch {
	case v == nil:
		subtract(w, g, k.scale, k.decay, lr)
	case p.Nesterov:
		if !step32(stepNesterov, w, v, nil, nil, g, k) {
			nesterovGo(w, v, nil, nil, g, k)
		}
	default:
		if !step32(stepMomentum, w, v, nil, nil, g, k) {
			momentumGo(w, v, nil, nil, g, k)
		}
	}
}

// subtract is w -= rate*(scale*g + decay*w).
func subtract[T Float](w, g []T, scale, decay T, rate float64) {
	k := &stepNumbers[T]{scale: scale, decay: decay, rate: T(rate)}
	if !step32(stepSGD, w, nil, nil, nil, g, k) {
		sgdGo(w, nil, nil, nil, g, k)
	}
}

func sgdGo[T Float](w, _, _, _, g []T, k *stepNumbers[T]) {
	g = g[:len(w)]
	for i, x := range w {
		w[i] = x - T(k.rate*(T(k.scale*g[i])+T(k.decay*x)))
	}
}

func momentumGo[T Float](w, v, _, _, g []T, k *stepNumbers[T]) {
	v, g = v[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(k.scale*g[i]) + T(k.decay*x)
		v[i] = T(k.keep1*v[i]) + T(k.take1*d)
		w[i] = x - T(k.rate*v[i])
	}
}

func nesterovGo[T Float](w, v, _, _, g []T, k *stepNumbers[T]) {
	v, g = v[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(k.scale*g[i]) + T(k.decay*x)
		v[i] = T(k.keep1*v[i]) + T(k.take1*d)
		w[i] = x - T(k.rate*(d+T(k.keep1*v[i])))
	}
}
