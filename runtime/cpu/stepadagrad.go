package cpu

// StepAdagrad is a step of Adagrad.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		h[i] += d * d
//		w[i] = w - rate/(1+(step-1)*rateDecay) * d/(√h[i]+eps)
//	}
func StepAdagrad[T, R Float](w, h, g []T, rate []R, step []int64, scale []R, p StepParams) {
	lr, s, ok := begin[T](rate, scale, &p)
	if !ok {
		return
	}
	r, decay, eps := T(lr/(1+float64(step[0]-1)*p.RateDecay)), T(p.Decay), T(p.Epsilon)
	h, g = h[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(s*g[i]) + T(decay*x)
		h[i] += T(d * d)
		w[i] = x - T(r*d)/(root(h[i])+eps)
	}
}
