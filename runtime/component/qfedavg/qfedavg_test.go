package qfedavg

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// aggregate returns the aggregate of changes with losses.
func aggregate(t *testing.T, a *Aggregator, changes [][]float32, losses []float32) []float32 {
	t.Helper()
	for i, x := range changes {
		if err := a.Contribute(t.Context(), wire.PeerID{}, values.LargeOf(tensor.DenseOf(x, len(x))), losses[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Aggregate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got.Data
}

var (
	changes = [][]float32{{1, 0}, {0, 2}, {-1, 1}}
	losses  = []float32{0.5, 2, 1}
)

// With q = 0 the result is the mean of the changes, whatever the losses are.
func TestMean(t *testing.T) {
	got := aggregate(t, &Aggregator{Rate: 0.1}, changes, losses)
	if !(math.Abs(float64(got[0])) <= 1e-6) || !(math.Abs(float64(got[1])-1) <= 1e-6) {
		t.Errorf("%v, want 0, 1", got)
	}
}

// The result is that of algorithm 2 of the paper, in which Δ is L·(w-w_k).
func TestPaper(t *testing.T) {
	const q, rate = 2.0, 0.25
	var sum [2]float64
	var h float64
	for k, x := range changes {
		f, square := float64(losses[k]), 0.0
		for i, v := range x {
			delta := -float64(v) / rate
			sum[i] += math.Pow(f, q) * delta
			square += delta * delta
		}
		h += q*math.Pow(f, q-1)*square + math.Pow(f, q)/rate
	}
	got := aggregate(t, &Aggregator{Q: q, Rate: rate}, changes, losses)
	for i := range sum {
		if want := -sum[i] / h; !(math.Abs(float64(got[i])-want) <= 1e-6) {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, a := range []Aggregator{{Q: -1, Rate: 1}, {Q: 1}, {Rate: math.NaN()}, {Q: math.Inf(1), Rate: 1}} {
		if err := a.Open(runtime.Env{}); err == nil {
			t.Errorf("Q %v and Rate %v are accepted", a.Q, a.Rate)
		}
	}
}
