package cpu

// StepRMSprop is a step of RMSprop. With mean, the variance of the gradient
// stands for its square; with v, the velocity has momentum.
//
//	for i, w := range w {
//		d := scale*g[i] + decay*w
//		h[i] = beta2*h[i] + (1-beta2)*d*d
//		mean[i] += (1-beta2) * (d - mean[i])
//		v[i] = momentum*v[i] + d/(√(h[i]-mean[i]²)+eps)
//		w[i] = w - rate*v[i]
//	}
func StepRMSprop[T, R Float](w, h, mean, v, g []T, rate []R, step []int64, scale []R, p StepParams) {
	lr, s, ok := begin[T](rate, scale, &p)
	if !ok {
		return
	}
	r, decay, eps := T(lr), T(p.Decay), T(p.Epsilon)
	b, a, keep := T(p.Beta2), T(1-p.Beta2), T(p.Momentum)
	h, g = h[:len(w)], g[:len(w)]
	for i, x := range w {
		d := T(s*g[i]) + T(decay*x)
		h1 := T(b*h[i]) + T(T(a*d)*d)
		h[i] = h1
		if mean != nil {
			u := mean[i] + T(a*(d-mean[i]))
			mean[i] = u
			h1 -= T(u * u)
		}
		below := root(h1) + eps
		if v == nil {
			w[i] = x - T(r*d)/below
			continue
		}
		v[i] = T(keep*v[i]) + d/below
		w[i] = x - T(r*v[i])
	}
}
