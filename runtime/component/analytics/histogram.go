package analytics

import (
	"fmt"
	"math"
	"sort"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Histogram counts the values of a peer, in Bins bins of equal width.
type Histogram struct{ Bins int }

// maxBins limits the size of counts.
const maxBins = 1 << 16

// Open checks the configuration.
func (h *Histogram) Open(runtime.Env) error {
	if h.Bins < 1 || h.Bins > maxBins {
		return fmt.Errorf("analytics.Histogram: Bins is %d, want 1 to %d", h.Bins, maxBins)
	}
	return nil
}

// Count returns the number of values below the first bound, in each bin, and from the second bound on: Bins+2
// counts. A bin has its lower bound and lacks its upper one.
func (h *Histogram) Count(x, bounds tensor.Dense[float32]) (tensor.Dense[int32], error) {
	counts := tensor.DenseOf(make([]int32, h.Bins+2), h.Bins+2)
	b, err := binsOf(bounds, h.Bins)
	if err != nil {
		return counts, err
	}
	for i, v := range x.Data {
		if v != v {
			return counts, fmt.Errorf("value %d is NaN", i)
		}
		counts.Data[b.of(v)]++
	}
	return counts, nil
}

// bins are bins of equal width between two bounds.
type bins struct {
	low, high float32
	n         int
}

func binsOf(bounds tensor.Dense[float32], n int) (bins, error) {
	if len(bounds.Data) != 2 {
		return bins{}, fmt.Errorf("%d bounds, want 2", len(bounds.Data))
	}
	b := bins{bounds.Data[0], bounds.Data[1], n}
	if !(b.low < b.high) || math.IsInf(float64(b.low), 0) || math.IsInf(float64(b.high), 0) {
		return bins{}, fmt.Errorf("the bounds are %v and %v, want two numbers, the first one smaller", b.low, b.high)
	}
	return b, nil
}

// edge returns the lower bound of a bin, which is the upper bound of the one before. All peers compute the same.
func (b bins) edge(i int) float32 {
	if i == b.n {
		return b.high
	}
	part := float64(i) / float64(b.n)
	return float32(float64(float64(b.low)*(1-part)) + float64(float64(b.high)*part))
}

// of returns the index of a value's count.
func (b bins) of(v float32) int {
	switch {
	case v < b.low:
		return 0
	case v >= b.high:
		return b.n + 1
	}
	return 1 + sort.Search(b.n-1, func(i int) bool { return v < b.edge(i+1) })
}
