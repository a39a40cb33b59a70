package train

import (
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// learn makes a step with the n examples of the session. If the norms of gradients are needed and the step is
// in two halves, it records them.
func (t *trainer) learn(n int, rate float64) (loss float64, err error) {
	if t.team != nil {
		return t.team.step(n, t.team.whole(t.batch, t.fixed), rate)
	}
	if r, ok := t.s.(Remote); ok {
		if loss, err = r.Step(rate); err == nil && len(t.recorders) > 0 {
			t.norms = append(t.norms[:0], r.Norms()...)
		}
		return loss, err
	}
	s, split := t.s.(runtime.SplitSession)
	if !split || len(t.recorders) == 0 {
		return t.s.Step(rate)
	}
	if loss, err = s.Gradients(); err != nil {
		return 0, err
	}
	t.noteGradients(s.ParameterGradients())
	return loss, s.ApplyGradients(rate)
}

// noteGradients computes the norm of each gradient, if they are needed.
func (t *trainer) noteGradients(list []runtime.Variable) {
	if len(t.recorders) == 0 {
		return
	}
	t.norms = t.norms[:0]
	for _, v := range list {
		t.norms = append(t.norms, norm(v.Value))
	}
}

// gradientNorm returns the norm of all gradients of the last step, or nil if it is unknown.
func (t *trainer) gradientNorm() *float64 {
	if len(t.norms) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range t.norms {
		sum += x * x
	}
	if sum = math.Sqrt(sum); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil // JSON has no such number
	}
	return &sum
}

// norm returns the root of the sum of squares.
func norm(t *tensor.Tensor) float64 {
	switch d := t.Data.(type) {
	case []float32:
		return math.Sqrt(squares(d))
	case []float64:
		return math.Sqrt(squares(d))
	}
	return 0
}

func squares[T float32 | float64](list []T) (sum float64) {
	for _, x := range list {
		sum += float64(x) * float64(x)
	}
	return sum
}
