package normbound_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// TestOpen: a bound that is no length is refused when the peer starts, not in the first round.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		bound float64
		want  string
	}{
		{0, "<nil>"},
		{5, "<nil>"},
		{-1, "normbound.Aggregator: Max is -1, want 0 or more"},
		{math.Inf(1), "normbound.Aggregator: Max is +Inf, want 0 or more"},
		{math.NaN(), "normbound.Aggregator: Max is NaN, want 0 or more"},
	} {
		a := normbound.Aggregator{Max: c.bound}
		if got := fmt.Sprint(a.Open(runtime.Env{})); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestMedian: without a bound, contributions longer than the median of a round are scaled down to it, so that one
// peer with a huge contribution moves the mean no more than the others.
func TestMedian(t *testing.T) {
	var a normbound.Aggregator
	for i, x := range [][]float32{{3, 0}, {0, 6}, {-3000, 0}} {
		if err := a.Contribute(t.Context(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Aggregate(t.Context())
	if want := []float32{(3 - 6) / 3., 2}; err != nil || !slices.Equal(got.Data, want) {
		t.Errorf("got %v, %v, want %v", got.Data, err, want)
	}
}
