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
// overflowed must not reach the parameters. Every operation is rounded, none is
// fused: a step gives the same bits at every level.

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

// stepNumbers are what a step multiplies with. Assembly reads them by their
// places (_asm/vec/step.go).
type stepNumbers[T Float] struct {
	scale T // of the gradient
	decay T // of the parameter, as a part of the gradient
	rate  T
	keep  T // how much of the parameter stays
	keep1 T // how much of the first moment stays
	take1 T // how much of the gradient enters it
	keep2 T // how much of the second moment stays
	take2 T // how much of the gradient's square enters it
	root  T // what the root of the second moment is divided by
	eps   T
}

// stepPiece changes a piece of a parameter; slots that the optimizer does not
// have are nil.
type stepPiece func(w, a, b, c, g []float32, k *stepNumbers[float32])

// stepTask is a step on threads; a turn takes some elements.
type stepTask struct {
	piece         stepPiece
	w, a, b, c, g []float32
	k             stepNumbers[float32]
}

var stepTasks freelist[stepTask]

// stepTurn is how many elements a turn has: what it touches of five vectors
// stays in L2.
const stepTurn = 1 << 13

// step32 changes w piece by piece if it is float32; else it is not ok.
func step32[T Float](piece stepPiece, w, a, b, c, g []T, k *stepNumbers[T]) (ok bool) {
	w32, ok := any(w).([]float32)
	if !ok {
		return false
	}
	t := stepTasks.get()
	t.piece, t.w, t.k = piece, w32, *any(k).(*stepNumbers[float32])
	t.a, t.b, t.c, t.g = any(a).([]float32), any(b).([]float32), any(c).([]float32), any(g).([]float32)
	parallel((len(w)+stepTurn-1)/stepTurn, len(w), t)
	*t = stepTask{}
	stepTasks.put(t)
	return true
}

func (t *stepTask) run(i int) {
	lo, hi := i*stepTurn, min((i+1)*stepTurn, len(t.w))
	cut := func(x []float32) []float32 {
		if x == nil {
			return nil
		}
		return x[lo:hi]
	}
	t.piece(cut(t.w), cut(t.a), cut(t.b), cut(t.c), cut(t.g), &t.k)
}
