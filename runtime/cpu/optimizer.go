package cpu

import "math"

// OptimizerParams are the hyperparameters of [Adam], [Adagrad] and [Momentum].
type OptimizerParams struct {
	Alpha, Beta float64 // weights of the moments so far
	Epsilon     float64
	Decay       float64 // of the learning rate, per step
	Norm        float64 // weight decay that is added to the gradient
	NormPost    float64 // weight decay that is applied after the step
	Nesterov    bool
}

// Adam is one step of Adam for the learning rate rate[0] after step[0] updates;
// newX, newV and newH may be x, v and h.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newV[i] = alpha*v[i] + (1-alpha)*g
//		newH[i] = beta*h[i] + (1-beta)*g*g
//		newX[i] = (1-normPost) * (x[i] - r*newV[i]/(√newH[i]+eps))
//	}
//
// r is the rate, with both moments' bias corrected if step[0] is above 0.
func Adam[T, R Float](newX, newV, newH []T, rate []R, step []int64, x, g, v, h []T, o OptimizerParams) {
	r := float64(rate[0])
	if t := float64(step[0]); t > 0 {
		r *= math.Sqrt(1-math.Pow(o.Beta, t)) / (1 - math.Pow(o.Alpha, t))
	}
	a, a1, b, b1 := T(o.Alpha), T(1-o.Alpha), T(o.Beta), T(1-o.Beta)
	lr, eps, norm, keep := T(r), T(o.Epsilon), T(o.Norm), T(1-o.NormPost)
	for i, w := range x {
		d := T(norm*w) + g[i]
		nv := T(a*v[i]) + T(a1*d)
		nh := T(b*h[i]) + T(b1*T(d*d))
		newV[i], newH[i] = nv, nh
		newX[i] = keep * (w - T(lr*(nv/(T(math.Sqrt(float64(nh)))+eps))))
	}
}

// Adagrad is one step of Adagrad for the learning rate rate[0] after step[0]
// updates; newX and newH may be x and h.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newH[i] = h[i] + g*g
//		newX[i] = x[i] - rate/(1+step*decay)*g/(√newH[i]+eps)
//	}
func Adagrad[T, R Float](newX, newH []T, rate []R, step []int64, x, g, h []T, o OptimizerParams) {
	lr := T(float64(rate[0]) / (1 + float64(step[0])*o.Decay))
	eps, norm := T(o.Epsilon), T(o.Norm)
	for i, w := range x {
		d := T(norm*w) + g[i]
		nh := h[i] + T(d*d)
		newH[i] = nh
		newX[i] = w - T(lr*d)/(T(math.Sqrt(float64(nh)))+eps)
	}
}

// Momentum is one step of gradient descent with momentum for the learning rate
// rate[0] after step[0] updates; newX and newV may be x and v.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newV[i] = alpha*v[i] + beta*g
//		newX[i] = x[i] - rate*newV[i]               // standard
//		newX[i] = x[i] - rate*(g + alpha*newV[i])   // Nesterov
//	}
//
// The first step takes beta as 1.
func Momentum[T, R Float](newX, newV []T, rate []R, step []int64, x, g, v []T, o OptimizerParams) {
	lr, a, b, norm := T(rate[0]), T(o.Alpha), T(o.Beta), T(o.Norm)
	if step[0] == 0 {
		b = 1
	}
	for i, w := range x {
		d := T(norm*w) + g[i]
		nv := T(a*v[i]) + T(b*d)
		newV[i] = nv
		if o.Nesterov {
			nv = d + T(a*nv)
		}
		newX[i] = w - T(lr*nv)
	}
}
