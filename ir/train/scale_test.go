package train

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scales are a constant factor, and a dynamic one.
var scales = []LossScale{{First: 1024}, {First: 1 << 16, Every: 2}}

// TestScale trains with and without a loss scale: the weights are the same.
func TestScale(t *testing.T) {
	options := []Options{{}, {ClipNorm: 0.5}, {ClipValue: 0.2}, {ClipNorm: 0.3, ClipValue: 0.2}, {Accumulate: 2, ClipNorm: 0.1}, {Gradients: true}}
	for _, how := range options {
		how.Loss, how.Optimizer = Loss{Name: "output"}, optimizer(t, "adam")
		want := trained(t, how)
		for _, how.Scale = range scales {
			got := trained(t, how)
			near(t, "weights", tensor.Data[float64](got.value("w")), tensor.Data[float64](want.value("w")), 1e-7)
			if how.Gradients {
				near(t, "gradients", tensor.Data[float64](got.value("w.grad")), gradients[2], 1e-7)
			}
		}
	}
}

// trained returns the session after two steps with each of the gradients.
func trained(t *testing.T, how Options) *session {
	t.Helper()
	s := start(t, parse(t, linear, firstWeights, 6), how)
	for _, g := range append(slices.Clone(gradients), gradients...) {
		s.step(tensor.Of(g, 6), tensor.Of([]float32{0.1}))
	}
	return s
}

// TestOverflow makes updates, some with gradients that are NaN or too large to be squared. These must only
// change the scale.
func TestOverflow(t *testing.T) {
	good := []float64{0.1, -0.2, 0.3, 0, -0.5, 1}
	bad := func(v float64) []float64 { return []float64{0.1, v, 0.3, 0, -0.5, 1} }
	steps := []struct {
		grad  []float64
		scale float32 // after the step
		count int64
	}{
		{good, 64, 1}, {bad(math.Inf(1)), 32, 1}, {good, 32, 2}, {good, 32, 3}, {good, 64, 4}, // three in a row
		{bad(math.NaN()), 32, 4}, {bad(1e30), 16, 4}, {good, 16, 5},
	}
	s := start(t, parse(t, linear, firstWeights, 6), Options{
		Loss: Loss{Name: "output"}, Optimizer: optimizer(t, "adamw"), Scale: LossScale{First: 64, Every: 3},
	})
	weights := firstWeights
	for i, step := range steps {
		s.step(tensor.Of(step.grad, 6), tensor.Of([]float32{0.1}))
		after := slices.Clone(tensor.Data[float64](s.value("w")))
		if skipped := slices.Equal(after, weights); skipped == (&step.grad[1] == &good[1]) {
			t.Errorf("step %d: weights %v become %v", i, weights, after)
		}
		weights = after
		scale, count := tensor.Data[float32](s.value("loss_scale"))[0], tensor.Data[int64](s.value("step"))[0]
		if scale != step.scale || count != step.count {
			t.Errorf("step %d: the scale is %v after %d updates, want %v after %d", i, scale, count, step.scale, step.count)
		}
	}
}

// TestOverflowAccumulated skips the update that one of two batches has spoiled; the next one begins from
// zero.
func TestOverflowAccumulated(t *testing.T) {
	how := Options{Loss: Loss{Name: "output"}, Optimizer: optimizer(t, "sgd"), Accumulate: 2, Scale: LossScale{First: 64, Every: 3}}
	s := start(t, parse(t, linear, firstWeights, 6), how)
	rate := tensor.Of([]float32{0.1})
	nan := []float64{math.NaN(), 0, 0, 0, 0, 0}
	for i, g := range [][]float64{gradients[0], nan, gradients[0], gradients[0]} {
		s.step(tensor.Of(g, 6), rate)
		if i < 3 {
			near(t, "weights", tensor.Data[float64](s.value("w")), firstWeights, 0)
		}
	}
	want := slices.Clone(firstWeights)
	for i, g := range gradients[0] {
		want[i] -= 0.1 * g
	}
	near(t, "weights", tensor.Data[float64](s.value("w")), want, 1e-7)
	if got := tensor.Data[float32](s.value("loss_scale"))[0]; got != 32 {
		t.Errorf("the scale is %v, want 32", got)
	}
}

func optimizer(t *testing.T, name string) Optimizer {
	t.Helper()
	o, err := NewOptimizer(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
