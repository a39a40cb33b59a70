package telemetry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHistogram compares quantiles with those of the sorted quantities: they are not less, and less than
// twice as large.
func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		var h Histogram
		all := make([]int64, 1+r.IntN(50))
		sum := uint64(0)
		for i := range all {
			all[i] = r.Int64N(1 << r.IntN(40))
			h.Add(all[i])
			sum += uint64(all[i])
		}
		slices.Sort(all)
		if h.Count != uint64(len(all)) || h.Sum != sum {
			t.Fatalf("%d quantities, in all %d; want %d, %d", h.Count, h.Sum, len(all), sum)
		}
		for _, q := range []float64{0, 0.5, 0.9, 1} {
			want := all[min(int(q*float64(len(all))), len(all)-1)]
			if got := h.Quantile(q); got < want || got > 2*max(want, 1) {
				t.Errorf("quantile %v of %v: got %d, want %d or up to twice that", q, all, got, want)
			}
		}
	}
	var h Histogram
	if h.Quantile(0.5) != 0 {
		t.Error("the median of nothing")
	}
	h.Add(-1)
	h.Add(math.MaxInt64)
	if h.Quantile(0) != 0 || h.Quantile(1) != math.MaxInt64 {
		t.Errorf("the ends: got %d and %d", h.Quantile(0), h.Quantile(1))
	}
}
