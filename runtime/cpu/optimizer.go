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

// OptimizerIn is the inputs of [Adam], [Adagrad] and [Momentum]. V and H are nil where an optimizer has no such
// moment.
type OptimizerIn[T, R Float] struct {
	Rate []R     // the learning rate, one element
	Step []int64 // the number of updates before, one element
	X, G []T     // the parameter and its gradient
	V, H []T     // the moments
}

// Adam is one step of Adam; newX, newV and newH may be X, V and H.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newV[i] = alpha*v[i] + (1-alpha)*g
//		newH[i] = beta*h[i] + (1-beta)*g*g
//		newX[i] = (1-normPost) * (x[i] - r*newV[i]/(√newH[i]+eps))
//	}
//
// r is the rate, with both moments' bias corrected if there were updates before.
func Adam[T, R Float](newX, newV, newH []T, in OptimizerIn[T, R], o OptimizerParams) {
	r := float64(in.Rate[0])
	if t := float64(in.Step[0]); t > 0 {
		r *= math.Sqrt(1-math.Pow(o.Beta, t)) / (1 - math.Pow(o.Alpha, t))
	}
	a, a1, b, b1 := T(o.Alpha), T(1-o.Alpha), T(o.Beta), T(1-o.Beta)
	lr, eps, norm, keep := T(r), T(o.Epsilon), T(o.Norm), T(1-o.NormPost)
	x, g, v, h := in.X, in.G, in.V, in.H
	for i, w := range x {
		d := T(norm*w) + g[i]
		nv := T(a*v[i]) + T(a1*d)
		nh := T(b*h[i]) + T(b1*T(d*d))
		newV[i], newH[i] = nv, nh
		newX[i] = keep * (w - T(lr*(nv/(T(math.Sqrt(float64(nh)))+eps))))
	}
}

// Adagrad is one step of Adagrad; newX and newH may be X and H.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newH[i] = h[i] + g*g
//		newX[i] = x[i] - rate/(1+step*decay)*g/(√newH[i]+eps)
//	}
func Adagrad[T, R Float](newX, newH []T, in OptimizerIn[T, R], o OptimizerParams) {
	lr := T(float64(in.Rate[0]) / (1 + float64(in.Step[0])*o.Decay))
	eps, norm := T(o.Epsilon), T(o.Norm)
	x, g, h := in.X, in.G, in.H
	for i, w := range x {
		d := T(norm*w) + g[i]
		nh := h[i] + T(d*d)
		newH[i] = nh
		newX[i] = w - T(lr*d)/(T(math.Sqrt(float64(nh)))+eps)
	}
}

// Momentum is one step of gradient descent with momentum; newX and newV may be X and V.
//
//	for i := range x {
//		g := g[i] + norm*x[i]
//		newV[i] = alpha*v[i] + beta*g
//		newX[i] = x[i] - rate*newV[i]               // standard
//		newX[i] = x[i] - rate*(g + alpha*newV[i])   // Nesterov
//	}
//
// The first step takes beta as 1.
func Momentum[T, R Float](newX, newV []T, in OptimizerIn[T, R], o OptimizerParams) {
	lr, a, b, norm := T(in.Rate[0]), T(o.Alpha), T(o.Beta), T(o.Norm)
	if in.Step[0] == 0 {
		b = 1
	}
	x, g, v := in.X, in.G, in.V
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
