package train

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSplit makes steps in two halves, for each optimizer and all options for gradients: the weights have the
// bits of whole steps.
func TestSplit(t *testing.T) {
	ways := []Options{
		{}, {ClipNorm: 0.5}, {ClipValue: 0.2}, {Accumulate: 2}, {Accumulate: 2, ClipNorm: 0.1, Average: 0.9},
		{Scale: LossScale{First: 64}}, {Scale: LossScale{First: 64, Every: 2}, ClipNorm: 0.3},
	}
	for _, name := range OptimizerNames() {
		for _, how := range ways {
			how.Loss, how.Optimizer = Loss{Name: "output"}, optimizer(t, name)
			want := trained(t, how)
			how.Split = true
			got := start(t, parse(t, linear, firstWeights, 6), how)
			for _, g := range append(slices.Clone(gradients), gradients...) {
				got.step(tensor.Of(g, 6), tensor.Of([]float32{0.1}))
				if w := tensor.Data[float64](got.value("w.gradient")); !slices.Equal(w, g) {
					t.Fatalf("%s %+v: the gradient is %v, want %v", name, how, w, g)
				}
				got.update(0.1)
			}
			for _, st := range want.f.State {
				if a, b := got.value(st.Param.Name), want.value(st.Param.Name); !slices.Equal(a.Bytes(), b.Bytes()) {
					t.Errorf("%s %+v: %s is %v, want %v", name, how, st.Param.Name, a.Data, b.Data)
				}
			}
		}
	}
}

// TestSplitClip clips by the norm of the gradient that the second half gets, not of the one that the first
// half has computed.
func TestSplitClip(t *testing.T) {
	how := Options{Loss: Loss{Name: "output"}, Optimizer: optimizer(t, "sgd"), ClipNorm: 1, Split: true}
	s := start(t, parse(t, linear, firstWeights, 6), how)
	s.step(tensor.Of([]float64{100, 0, 0, 0, 0, 0}, 6), tensor.Of([]float32{0.5}))
	copy(tensor.Data[float64](s.value("w.gradient")), []float64{0, 0, 0, 0, 3, 4})
	s.update(0.5)
	want := slices.Clone(firstWeights)
	want[4], want[5] = want[4]-0.3, want[5]-0.4
	near(t, "weights", tensor.Data[float64](s.value("w")), want, 1e-6)
}

// update runs the second half of a step.
func (s *session) update(rate float32) {
	s.t.Helper()
	m := s.program.Update
	if s.second == nil {
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			s.t.Fatal(err)
		}
		s.second = m.Main
	}
	in := tensor.Of([]float32{rate})
	in.Shape = nil
	_, next, err := eval.Step(s.second, s.state, []tensor.Value{in})
	if err != nil {
		s.t.Fatal(err)
	}
	s.state = next
}
