package cpu

// StepRMSprop is a step of RMSprop. With mean, the variance of the gradient replaces its square; with v, the
// velocity has momentum.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		h[i] = beta2*h[i] + (1-beta2)*d*d
//		mean[i] += (1-beta2) * (d - mean[i])
//		v[i] = momentum*v[i] + d/(√(h[i]-mean[i]²)+eps)
//		w[i] = w - rate*v[i]
//	}
func StepRMSprop[T, R Float](w, h, mean, v, g []T, at StepAt[R], p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	k := &stepNumbers[T]{scale: s, decay: T(p.Decay), rate: T(lr), eps: T(p.Epsilon),
		keep1: T(p.Momentum), keep2: T(p.Beta2), take2: T(1 - p.Beta2)}
	piece := stepRMSprop
	if mean != nil || v != nil {
		piece = rmspropGo[float32]
	}
	if !step32(piece, w, h, mean, v, g, k) {
		rmspropGo(w, h, mean, v, g, k)
	}
}

func rmspropGo[T Float](w, h, mean, v, g []T, k *stepNumbers[T]) {
	h, g = h[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(k.scale*g[i]) + T(k.decay*x)
		h1 := T(k.keep2*h[i]) + T(T(k.take2*d)*d)
		h[i] = h1
		if mean != nil {
			u := mean[i] + T(k.take2*(d-mean[i]))
			mean[i] = u
			h1 -= T(u * u)
		}
		below := root(h1) + k.eps
		if v == nil {
			w[i] = x - T(k.rate*d)/below
			continue
		}
		v[i] = T(k.keep1*v[i]) + d/below
		w[i] = x - T(k.rate*v[i])
	}
}
