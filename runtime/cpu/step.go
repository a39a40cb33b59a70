package cpu

import "math"

// StepParams is the hyperparameters of one step of an optimizer. Each optimizer uses some of them.
type StepParams struct {
	Factor    float64 // of the learning rate
	Decay     float64 // weight decay
	Momentum  float64
	Dampening float64 // of the momentum
	Beta1     float64 // the part of the first moment that is kept
	Beta2     float64 // the part of the second moment that is kept
	Epsilon   float64
	RateDecay float64 // of the learning rate, per step
	Nesterov  bool
	Maximize  bool // ascends instead of descending
}

// StepAt is where the training is, for one step of an optimizer, in tensors of one element.
type StepAt[R Float] struct {
	Rate  []R     // the learning rate
	Step  []int64 // the number of the step, from 1 on
	Scale []R     // a factor of the gradient; nil for 1
}

// The kernels of this family change the parameter w and the state of the optimizer in place. Their operands
// are the gradient g and [StepAt]. If the factor of the gradient is NaN the step is skipped, so that
// gradients that have overflowed do not change the parameters. Every operation is rounded, none is fused: a step
// gives the same bits at every level.

// begin returns the learning rate and the factor of the gradient, including its sign. It returns false if the
// step is skipped.
func begin[T, R Float](at *StepAt[R], p *StepParams) (lr float64, s T, ok bool) {
	s = 1
	if at.Scale != nil {
		s = T(at.Scale[0])
	}
	if p.Maximize {
		s = -s
	}
	return float64(at.Rate[0]) * p.Factor, s, s == s
}

// corrected returns 1 - beta^step for both betas, which corrects the bias of moments that begin with 0.
func corrected(p *StepParams, step int64) (c1, c2 float64) {
	return 1 - math.Pow(p.Beta1, float64(step)), 1 - math.Pow(p.Beta2, float64(step))
}

// root is the square root of x.
func root[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// stepNumbers are the factors of a step. Assembly uses their offsets (_asm/vec/step.go).
type stepNumbers[T Float] struct {
	scale T // of the gradient
	decay T // of the parameter, which is added to the gradient
	rate  T
	keep  T // the part of the parameter that is kept
	keep1 T // the part of the first moment that is kept
	take1 T // the part of the gradient that is added to it
	keep2 T // the part of the second moment that is kept
	take2 T // the part of the gradient's square that is added to it
	eps   T
}

// stepPiece updates a piece of a parameter. Missing state of the optimizer is nil.
type stepPiece func(w, a, b, c, g []float32, k *stepNumbers[float32])

// stepTask is a step on several threads. A turn is a run of elements.
type stepTask struct {
	piece         stepPiece
	w, a, b, c, g []float32
	k             stepNumbers[float32]
}

var stepTasks freelist[stepTask]

// stepTurn is the number of elements of a turn: those of five vectors stay in L2.
const stepTurn = 1 << 13

// step32 updates w piece by piece if it is float32, otherwise it returns false.
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
