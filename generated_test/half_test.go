package generated

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/generated_test/half"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// halfTraining returns the options for training the first half of a network, whose loss is on another peer.
func halfTraining(t *testing.T) train.Options {
	t.Helper()
	o, err := train.NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	return train.Options{Backward: true, InputGradients: true, Optimizer: o}
}

func TestHalfCurrent(t *testing.T) { checkTrainer(t, "half", halfTraining(t)) }

// halfSession is a session, its inputs, and the gradients of its outputs.
func halfSession(t *testing.T) (s model.ForwardSession, in, dy []*tensor.Tensor) {
	t.Helper()
	made, err := half.TrainProgram().New(3)
	if err != nil {
		t.Fatal(err)
	}
	in = []*tensor.Tensor{floats(1, 6, 4), tensor.Of([]int64{0, 4, 2, 2, 1, 3}, 6), floats(2, 2)}
	return made.(model.ForwardSession), in, []*tensor.Tensor{floats(3, 6, 3), floats(4, 6, 2)}
}

func give(t *testing.T, s model.TrainSession, values ...*tensor.Tensor) {
	t.Helper()
	for i, v := range values {
		if err := s.SetInput(i, v); err != nil {
			t.Fatal(err)
		}
	}
}

// along returns the sum of the products of outputs and their gradients. The gradients of inputs and weights
// are its derivatives.
func along(t *testing.T, s model.ForwardSession, dy []*tensor.Tensor) float64 {
	t.Helper()
	if err := s.Forward(); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, d := range dy {
		for k, y := range tensor.Data[float32](s.Output(i).(*tensor.Tensor)) {
			sum += float64(y) * float64(tensor.Data[float32](d)[k])
		}
	}
	return sum
}

// TestHalfGradients compares the gradients of inputs, and those of weights, which a step of plain descent has
// subtracted, with central differences of the outputs. The step has the same dropout and statistics as its
// forward pass.
func TestHalfGradients(t *testing.T) {
	s, in, dy := halfSession(t)
	give(t, s, slices.Concat(in, dy)...)
	const h, rate = 1e-2, 0.5
	differences := func(v []float32) []float64 {
		out := make([]float64, len(v))
		for i, x := range v {
			v[i] = x + h
			out[i] = along(t, s, dy)
			v[i] = x - h
			out[i] = (out[i] - along(t, s, dy)) / (2 * h)
			v[i] = x
		}
		return out
	}
	want := map[string][]float64{"x": differences(tensor.Data[float32](in[0])), "unused": {0, 0}}
	before := map[string][]float32{}
	for _, v := range model.Trained(s.State()) {
		w := tensor.Data[float32](v.Value)
		before[v.Name], want[v.Name] = slices.Clone(w), differences(w)
	}
	if _, err := s.Step(rate); err != nil {
		t.Fatal(err)
	}
	got := map[string][]float64{}
	for i, name := range []string{"x", "word", "unused"} {
		dx, ok := s.(model.GradientSession).Gradient(i).(*tensor.Tensor)
		if !ok {
			continue
		}
		for _, g := range tensor.Data[float32](dx) {
			got[name] = append(got[name], float64(g))
		}
	}
	for _, v := range model.Trained(s.State()) {
		for i, w := range tensor.Data[float32](v.Value) {
			got[v.Name] = append(got[v.Name], float64(before[v.Name][i]-w)/rate)
		}
	}
	if len(got) != len(want) || len(got) != 7 {
		t.Errorf("there are gradients of %d values, and differences of %d, want 7", len(got), len(want))
	}
	for name, w := range want {
		for i := range w {
			if g := got[name]; len(g) != len(w) || math.Abs(g[i]-w[i]) > 2e-3 {
				t.Errorf("%s: gradients %v, want %v", name, g, w)
				break
			}
		}
	}
}

// TestHalfForward runs the three passes: dropout in training changes with each step, inference has none, and
// neither of them needs gradients.
func TestHalfForward(t *testing.T) {
	s, in, dy := halfSession(t)
	give(t, s, in...)
	run := func(f func() error) []float32 {
		t.Helper()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(tensor.Data[float32](s.Output(0).(*tensor.Tensor)))
	}
	first, again := run(s.Forward), run(s.Forward)
	if !slices.Equal(first, again) || !slices.Contains(first, 0) {
		t.Errorf("before a step the outputs are %v, then %v, want the same with zeros", first, again)
	}
	if y := run(func() error { _, err := s.Eval(); return err }); slices.Contains(y, 0) {
		t.Errorf("an evaluation drops elements: %v", y)
	}
	give(t, s, slices.Concat(in, dy)...)
	if _, err := s.Step(0); err != nil {
		t.Fatal(err)
	}
	if y := run(s.Forward); slices.Equal(y, first) {
		t.Error("after a step the same elements are dropped")
	}
}
