package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/pipeline/schedule"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// whole computes a step of all stages at once, with the whole batch, in float64.
func whole(weights []float64, x, y []float32, rate, clip float64) (loss float64) {
	product := 1.0
	for _, w := range weights {
		product *= w
	}
	slope := 0.0
	for i := range x {
		d := product*float64(x[i]) - float64(y[i])
		loss += d * d / float64(len(x))
		slope += 2 * d * float64(x[i]) / float64(len(x))
	}
	var gradients []float64
	norm := 0.0
	for _, w := range weights {
		gradients = append(gradients, slope*product/w)
		norm += slope * product / w * slope * product / w
	}
	factor := 1.0
	if clip > 0 {
		factor = math.Min(1, clip/(math.Sqrt(norm)+1e-6))
	}
	for i, g := range gradients {
		weights[i] -= rate * factor * g
	}
	return loss
}

// near reports whether numbers differ by rounding only.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Max(1, math.Abs(b)) }

// TestStep trains with several numbers of stages and micro-batches: losses and weights are those of one process with the
// whole batch, whether the gradients are clipped or not. No stage holds more micro-batches than 1F1B promises, both
// passes of a micro-batch draw the same random numbers, and timing changes no bit.
func TestStep(t *testing.T) {
	for _, c := range []struct{ stages, micros, examples int }{{2, 1, 4}, {2, 4, 8}, {3, 8, 13}, {4, 2, 6}, {4, 9, 9}, {3, 8, 5}} {
		for _, clip := range []float64{0, 0.5} {
			var bits []string
			for seed := range uint64(3) {
				bits = append(bits, step(t, c.stages, c.micros, c.examples, clip, seed))
			}
			if bits[0] != bits[1] || bits[0] != bits[2] {
				t.Errorf("%d stages, %d micro-batches: timing changes the weights: %q", c.stages, c.micros, bits)
			}
		}
	}
}

// step checks five steps, and returns the weights and losses as text.
func step(t *testing.T, stages, micros, examples int, clip float64, seed uint64) (bits string) {
	t.Helper()
	m := newScales(stages, seed)
	m.ClipNorm = clip
	r := start(t, m, micros)
	x, y := r.batch(t, examples)
	var weights []float64
	for _, s := range m.sessions {
		weights = append(weights, float64(s.weight[0]))
	}
	for range 5 {
		loss, err := r.Step(0.01)
		if err != nil {
			t.Fatal(err)
		}
		if want := whole(weights, x, y, 0.01, clip); !near(loss, want) {
			t.Errorf("%d stages, %d micro-batches: loss %v, want %v", stages, micros, loss, want)
		}
		bits += fmt.Sprintf("%x ", math.Float64bits(loss))
	}
	r.end(true)
	r.wait.Wait()
	for k, s := range m.sessions {
		if !near(float64(s.weight[0]), weights[k]) {
			t.Errorf("%d stages, %d micro-batches: weight %d is %v, want %v", stages, micros, k, s.weight[0], weights[k])
		}
		bits += fmt.Sprintf("%x ", math.Float32bits(s.weight[0]))
		w := r.worker
		if k < stages-1 {
			w = r.followers[k].worker
			if err := r.errs[k]; err != nil {
				t.Errorf("stage %d: %v", k, err)
			}
			slices.Sort(s.drawn)
			for i := 0; i+1 < len(s.drawn); i += 2 {
				if s.drawn[i] != s.drawn[i+1] || i > 0 && s.drawn[i] == s.drawn[i-1] {
					t.Errorf("stage %d draws at %v, want each position in two passes", k, s.drawn)
					break
				}
			}
		}
		if want := schedule.Held(k, stages, min(micros, examples)); w.most != want {
			t.Errorf("%d stages, %d micro-batches: stage %d holds %d, want %d", stages, micros, k, w.most, want)
		}
	}
	return bits
}

// TestShared trains three stages, of which two have the same weight: its gradient is the sum of both, its norm counts once,
// and both copies remain equal.
func TestShared(t *testing.T) {
	m := newScales(3, 1)
	m.names[2] = m.names[0]
	m.sessions[2].weight[0] = m.sessions[0].weight[0]
	m.ClipNorm = 0.5
	r := start(t, m, 4)
	x, y := r.batch(t, 8)
	twice, once := float64(m.sessions[0].weight[0]), float64(m.sessions[1].weight[0])
	for range 5 {
		if _, err := r.Step(0.01); err != nil {
			t.Fatal(err)
		}
		slope := 0.0
		for i := range x {
			slope += 2 * (twice*twice*once*float64(x[i]) - float64(y[i])) * float64(x[i]) / float64(len(x))
		}
		a, b := slope*2*twice*once, slope*twice*twice
		norm := math.Sqrt(a*a + b*b)
		if got := r.Norms(); len(got) != 2 || !near(got[0], math.Abs(a)) || !near(got[1], math.Abs(b)) {
			t.Errorf("norms %v, want %v and %v", got, a, b)
		}
		factor := math.Min(1, 0.5/(norm+1e-6))
		twice, once = twice-0.01*factor*a, once-0.01*factor*b
	}
	r.end(true)
	r.wait.Wait()
	for k, want := range []float64{twice, once, twice} {
		if got := m.sessions[k].weight[0]; !near(float64(got), want) || k == 2 && got != m.sessions[0].weight[0] {
			t.Errorf("stage %d has %v, want %v", k, got, want)
		}
	}
}

// TestEval evaluates a batch in micro-batches: the loss is that of the whole batch, the outputs are those of all examples
// in their order, and no weight changes.
func TestEval(t *testing.T) {
	m := newScales(3, 1)
	r := start(t, m, 4)
	x, y := r.batch(t, 7)
	loss, err := r.Eval()
	if err != nil {
		t.Fatal(err)
	}
	product := 1.5 * 1.25 * 1.125
	if want := whole([]float64{product}, x, y, 0, 0); !near(loss, want) {
		t.Errorf("loss %v, want %v", loss, want)
	}
	out := r.Output(0).(*tensor.Tensor)
	if !slices.Equal(out.Shape, []int{7, 1}) {
		t.Fatalf("output %v, want 7 examples", out)
	}
	for i, v := range tensor.Data[float32](out) {
		if !near(float64(v), product*float64(x[i])) {
			t.Errorf("output %d is %v, want %v", i, v, product*float64(x[i]))
		}
	}
	if m.sessions[1].steps[0] != 0 {
		t.Error("an evaluation makes a step")
	}
	r.end(true)
	r.wait.Wait()
}

// TestState reads and writes the state of all stages at the last one. Variables that all stages have are there once.
func TestState(t *testing.T) {
	m := newScales(3, 0)
	r := start(t, m, 2)
	r.batch(t, 4)
	if _, err := r.Step(0.01); err != nil {
		t.Fatal(err)
	}
	if err := r.Pull(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range r.State() {
		names = append(names, v.Name)
	}
	if want := []string{"w0", "step", "random", "w1", "w2"}; !slices.Equal(names, want) {
		t.Fatalf("the state is %v, want %v", names, want)
	}
	for k, i := range []int{0, 3, 4} {
		if got := tensor.Data[float32](r.State()[i].Value)[0]; got != m.sessions[k].weight[0] {
			t.Errorf("weight %d is %v, want %v", k, got, m.sessions[k].weight[0])
		}
		tensor.Data[float32](r.State()[i].Value)[0] = float32(k + 10)
	}
	tensor.Data[int64](r.State()[1].Value)[0] = 77
	if err := r.Push(); err != nil {
		t.Fatal(err)
	}
	r.end(true)
	r.wait.Wait()
	for k, s := range m.sessions {
		if s.weight[0] != float32(k+10) || s.steps[0] != 77 {
			t.Errorf("stage %d has the weight %v in step %d, want %d in step 77", k, s.weight[0], s.steps[0], k+10)
		}
	}
}

// TestLost ends each stage in turn: the step of the last one ends with an error that names it, and the other stages end
// with the same error.
func TestLost(t *testing.T) {
	for victim := range 3 {
		m := newScales(4, 1)
		r := start(t, m, 8)
		r.batch(t, 16)
		if _, err := r.Step(0.01); err != nil {
			t.Fatal(err)
		}
		f := r.followers[victim]
		for _, l := range []*link{f.control, f.prev, f.next} {
			if l != nil {
				l.stream.Close()
			}
		}
		_, err := r.Step(0.01)
		want := fmt.Sprintf("stage %d of 4 is lost", victim)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the step ends with %v, want %q", err, want)
		}
		r.end(false)
		r.wait.Wait()
		for k, err := range r.errs {
			if k != victim && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("stage %d ends with %v, want %q", k, err, want)
			}
		}
	}
}

// TestFails computes an error in one stage, which is the error of the step.
func TestFails(t *testing.T) {
	for victim := range 3 {
		m := newScales(3, 1)
		m.sessions[victim].fails = errors.New("no result")
		r := start(t, m, 4)
		r.batch(t, 8)
		_, err := r.Step(0.01)
		if want := fmt.Sprintf("stage %d of 3: no result", victim); err == nil || err.Error() != want {
			t.Errorf("the step ends with %v, want %q", err, want)
		}
		r.end(false)
		r.wait.Wait()
	}
}

// TestStop asks a stage to end: the last one is told.
func TestStop(t *testing.T) {
	r := start(t, newScales(3, 0), 2)
	r.followers[1].control.send(stop)
	<-r.stopped
	r.end(true)
	r.wait.Wait()
}

// TestOther connects stages of different models, which refuse each other.
func TestOther(t *testing.T) {
	m := newScales(2, 0)
	places := newPlaces(t, m)
	other := newScales(2, 0).Model
	other.ClipNorm = 3
	places[0].m = &other
	errs := make(chan error, 2)
	for _, p := range places {
		go func() {
			_, _, err := p.connect(context.Background())
			errs <- err
		}()
	}
	for range places {
		if err := <-errs; err == nil {
			t.Error("stages of different models are connected")
		}
	}
}
