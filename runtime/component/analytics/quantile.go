package analytics

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Quantile finds a quantile of the values of all peers, from the sums of their counts by [Histogram].
type Quantile struct {
	At float64 // the part of the values that are at most the quantile, between 0 and 1: 0.5 is the median
}

// Open checks the configuration.
func (q *Quantile) Open(runtime.Env) error {
	if !(q.At > 0 && q.At < 1) {
		return fmt.Errorf("analytics.Quantile: At is %v, want a number between 0 and 1", q.At)
	}
	return nil
}

// Of returns the quantile, as if the values of a bin were evenly distributed. A quantile outside of the bounds
// is the bound.
func (q *Quantile) Of(bounds tensor.Dense[float32], counts tensor.Dense[int32]) (float32, error) {
	b, i, part, err := q.find(bounds, counts.Data)
	switch {
	case err != nil:
		return 0, err
	case i == 0:
		return b.low, nil
	case i == b.n+1:
		return b.high, nil
	}
	low, high := float64(b.edge(i-1)), float64(b.edge(i))
	return float32(low + float64(part*(high-low))), nil
}

// Narrow returns the bounds of the bin with the quantile, for the counts of the next round. If the quantile is
// outside of the bounds, the next ones are beside them and three times as wide.
func (q *Quantile) Narrow(bounds tensor.Dense[float32], counts tensor.Dense[int32]) (tensor.Dense[float32], error) {
	b, i, _, err := q.find(bounds, counts.Data)
	if err != nil {
		return bounds, err
	}
	wide := 3 * (float64(b.high) - float64(b.low))
	var low, high float32
	switch i {
	case 0:
		low, high = finite(float64(b.low)-wide), b.low
	case b.n + 1:
		low, high = b.high, finite(float64(b.high)+wide)
	default:
		low, high = b.edge(i-1), b.edge(i)
	}
	if low >= high { // no number is between them
		high = finite(float64(math.Nextafter32(low, float32(math.Inf(1)))))
		low = min(low, math.Nextafter32(high, float32(math.Inf(-1))))
	}
	return tensor.DenseOf([]float32{low, high}, 2), nil
}

// finite rounds a number to the nearest finite float32.
func finite(x float64) float32 { return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32)) }

// find returns the index of the count with the quantile, and which part of its values are at most that.
func (q *Quantile) find(bounds tensor.Dense[float32], counts []int32) (b bins, i int, part float64, err error) {
	if b, err = binsOf(bounds, len(counts)-2); err != nil {
		return b, 0, 0, err
	}
	total := int64(0)
	for _, n := range counts {
		total += int64(n)
	}
	if b.n < 1 || total <= 0 {
		return b, 0, 0, errors.New("no peer has any values")
	}
	rank := max(int64(math.Ceil(q.At*float64(total))), 1)
	for i, n := range counts {
		if rank <= int64(n) {
			return b, i, float64(rank) / float64(n), nil
		}
		rank -= int64(n)
	}
	return b, 0, 0, errors.New("the counts are negative") // noise may make them so
}
