package cpu

import "math"

// StepParams are the hyperparameters of one step of an optimizer; each uses
// those that it knows.
type StepParams struct {
	Factor    float64 // of the learning rate
	Decay     float64 // weight decay
	Momentum  float64
	Dampening float64 // of the momentum
	Beta1     float64 // how much of the first moment stays
	Beta2     float64 // how much of the second moment stays
	Epsilon   float64
	RateDecay float64 // of the learning rate, per step
	Nesterov  bool
	Maximize  bool // climb instead of descend
}

// The kernels of this family change the parameter w and what the optimizer
// remembers of it in place. Their operands are the gradient g, the learning
// rate, the number of the step from 1 on, and a factor of the gradient, nil for
// 1. Where the factor is no number the step is skipped: gradients that have
// overflowed must not reach the parameters.

// begin is the learning rate and the factor of the gradient, its sign included;
// it is not ok if the step is to be skipped.
func begin[T, R Float](rate, scale []R, p *StepParams) (lr float64, s T, ok bool) {
	s = 1
	if scale != nil {
		s = T(scale[0])
	}
	if p.Maximize {
		s = -s
	}
	return float64(rate[0]) * p.Factor, s, s == s
}

// corrected are 1 - beta^step for both betas: what the moments lack after so
// many steps from 0.
func corrected(p *StepParams, step int64) (c1, c2 float64) {
	return 1 - math.Pow(p.Beta1, float64(step)), 1 - math.Pow(p.Beta2, float64(step))
}

// root is the square root of x.
func root[T Float](x T) T { return T(math.Sqrt(float64(x))) }
