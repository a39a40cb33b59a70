package trained

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// noisy is a line whose gradients are complete one after the other, the one of b first. A pass draws a number,
// which is added to the gradient of w, and counts itself in a statistic.
type noisy struct {
	*halves
	random, passes *tensor.Tensor
	done           []int // the gradients that are complete
	fails          error // of the rest of a pass
}

func (n *noisy) GradientsReady(ready func(int)) (float64, error) {
	n.done = n.done[:0]
	tensor.Data[float32](n.passes)[0]++
	draw := tensor.Data[int64](n.random)
	number := draw[0]
	draw[0]++
	loss, err := n.Gradients()
	w := tensor.Data[float32](n.dw)
	right := w[0] + float32(number)
	w[0] = -1
	n.done = append(n.done, 1)
	ready(1)
	if n.fails != nil {
		return 0, n.fails
	}
	w[0] = right
	n.done = append(n.done, 0)
	ready(0)
	return loss, err
}

func (n *noisy) State() []model.Variable {
	return append(n.line.State(), model.Variable{Name: "passes", Kind: model.Buffer, Value: n.passes},
		model.Variable{Name: "random", Kind: model.Private, Value: n.random})
}

func openedNoisy(t *testing.T) (*Model, *noisy) {
	t.Helper()
	n := &noisy{
		halves: &halves{newLine(), tensor.Of([]float32{0}, 1), tensor.Of([]float32{0}, 1)},
		random: tensor.Of([]int64{5}, 1), passes: tensor.Of([]float32{0}, 1),
	}
	m, _, err := opened(t, func(p *model.TrainProgram) {
		p.Random = "random"
		p.New = func(uint64) (model.TrainSession, error) { return n, nil }
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, n
}

// batch has a loss of 0.25, and gradients of 2 and 1 without noise.
func batch() []*tensor.Tensor {
	return []*tensor.Tensor{tensor.Of([]float32{1, 3}, 2), tensor.Of([]float32{2, 6}, 2)}
}

// rest continues a pass and tests the gradient of w, the loss, and how many passes are counted.
func rest(t *testing.T, m *Model, n *noisy, pass int64, w float32) {
	t.Helper()
	loss, err := m.ContinuePass(t.Context(), pass, 0, 2, batch()...)
	if g := m.Bucket().Data; err != nil || loss != 0.25 || !slices.Equal(g, []float32{w}) {
		t.Errorf("the first part: loss %v, gradients %v (%v), want 0.25 and %v", loss, g, err, w)
	}
	if got := tensor.Data[float32](n.passes)[0]; got != 1 {
		t.Errorf("the statistic counts %v passes, want 1", got)
	}
}

// A bucket is returned as soon as it is complete: the rest is computed by the next call.
func TestBuckets(t *testing.T) {
	m, n := openedNoisy(t)
	pass, err := m.BeginPass(t.Context(), 2, batch()...)
	if g := m.Bucket().Data; err != nil || !slices.Equal(g, []float32{1}) || !slices.Equal(n.done, []int{1}) {
		t.Fatalf("the last part is %v (%v) when gradients %v are complete, want 1 and [1]", g, err, n.done)
	}
	rest(t, m, n, pass, 2+5)
	if next, err := m.BeginPass(t.Context(), 2, batch()...); err != nil || next == pass {
		t.Errorf("the next pass is %d (%v), and so was the one before", next, err)
	}
}

// What else uses the model computes the rest of a pass first; if it overwrites gradients, the pass is computed again,
// with the same random numbers.
func TestBetweenBuckets(t *testing.T) {
	for name, call := range map[string]func(m *Model) error{
		"loss":  func(m *Model) error { _, err := m.Loss(t.Context(), batch()...); return err },
		"delta": func(m *Model) error { return m.ApplyDelta(vector(0, 0)) },
		"same":  func(m *Model) error { return m.LoadParameters(vector(2, 0.5)) },
	} {
		t.Run(name, func(t *testing.T) {
			m, n := openedNoisy(t)
			pass, err := m.BeginPass(t.Context(), 2, batch()...)
			if err == nil {
				err = call(m)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(n.done, []int{1, 0}) {
				t.Errorf("it ran while only gradients %v were complete", n.done)
			}
			rest(t, m, n, pass, 2+5)
		})
	}
	m, n := openedNoisy(t)
	first, err := m.BeginPass(t.Context(), 2, batch()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Differentiate(t.Context(), batch()...); err != nil {
		t.Fatal(err)
	}
	second, err := m.BeginPass(t.Context(), 2, batch()...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.Data[float32](n.passes)[0] = 0
	rest(t, m, n, first, 2+float32(first))
	tensor.Data[float32](n.passes)[0] = 0
	rest(t, m, n, second, 2+float32(second))
	if got := tensor.Data[int64](n.random)[0]; got != second+1 {
		t.Errorf("the random stream continues at %d, want %d", got, second+1)
	}
}

// A snapshot between two buckets holds what the pass began with: a model restored from it computes the pass again,
// and ends it as if there had been no snapshot.
func TestSnapshotBetweenBuckets(t *testing.T) {
	m, _ := openedNoisy(t)
	pass, err := m.BeginPass(t.Context(), 2, batch()...)
	if err != nil {
		t.Fatal(err)
	}
	state, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, n := openedNoisy(t)
	tensor.Data[int64](n.random)[0] = 100
	if err := again.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	rest(t, again, n, pass, 2+5)
	if got := tensor.Data[int64](n.random)[0]; got != 6 {
		t.Errorf("the random stream continues at %d, want 6", got)
	}
}

// If the rest of a pass fails, the call for it returns the error.
func TestBucketFails(t *testing.T) {
	m, n := openedNoisy(t)
	n.fails = errors.New("a kernel has failed")
	pass, err := m.BeginPass(t.Context(), 2, batch()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ContinuePass(t.Context(), pass, 0, 2, batch()...); !errors.Is(err, n.fails) {
		t.Errorf("got %v, want %v", err, n.fails)
	}
}
