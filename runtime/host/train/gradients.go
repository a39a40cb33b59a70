package train

import (
	"math"

	"github.com/bbgen/bbgen/runtime/model"
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
	s, split := t.s.(model.SplitSession)
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
func (t *trainer) noteGradients(list []model.Variable) {
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

// squares returns the sum of squares. It adds to several sums in turn, as an addition waits for the one before: the other peers
// wait for the one that computes norms.
func squares[T float32 | float64](list []T) float64 {
	var a, b, c, d float64
	for len(list) >= 4 {
		p, q, r, s := float64(list[0]), float64(list[1]), float64(list[2]), float64(list[3])
		a, b, c, d = a+p*p, b+q*q, c+r*r, d+s*s
		list = list[4:]
	}
	for _, x := range list {
		a += float64(x) * float64(x)
	}
	return a + b + (c + d)
}
