package cpu

// StepAdagrad is a step of Adagrad.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		h[i] += d * d
//		w[i] = w - rate/(1+(step-1)*rateDecay) * d/(√h[i]+eps)
//	}
func StepAdagrad[T, R Float](w, h, g []T, at StepAt[R], p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	k := &stepNumbers[T]{scale: s, decay: T(p.Decay), rate: T(lr / (1 + float64(at.Step[0]-1)*p.RateDecay)), eps: T(p.Epsilon)}
	if !step32(stepAdagrad, w, h, nil, nil, g, k) {
		adagradGo(w, h, nil, nil, g, k)
	}
}

func adagradGo[T Float](w, h, _, _, g []T, k *stepNumbers[T]) {
	h, g = h[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(k.scale*g[i]) + T(k.decay*x)
		h[i] += T(d * d)
		w[i] = x - T(k.rate*d)/(root(h[i])+k.eps)
	}
}
