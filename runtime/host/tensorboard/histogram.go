package tensorboard

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Histogram is the distribution of the elements of a tensor.
type Histogram struct {
	Min, Max     float64 // of the finite elements
	Count        int     // of the finite elements
	Sum, Squares float64
	Limits       []float64 // the upper bounds of buckets of equal width
	Counts       []float64 // how many elements each bucket has
}

// buckets is the number of buckets.
const buckets = 32

// HistogramOf returns the histogram of a tensor of floats; nil if the tensor has another type or no finite
// element.
func HistogramOf(t *tensor.Tensor) *Histogram {
	switch d := t.Data.(type) {
	case []float32:
		return histogramOf(d, func(x float32) float64 { return float64(x) })
	case []float64:
		return histogramOf(d, func(x float64) float64 { return x })
	case []tensor.F16:
		return histogramOf(d, func(x tensor.F16) float64 { return float64(x.Float32()) })
	case []tensor.BF16:
		return histogramOf(d, func(x tensor.BF16) float64 { return float64(x.Float32()) })
	}
	return nil
}

func histogramOf[T any](list []T, float func(T) float64) *Histogram {
	h := &Histogram{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range list {
		if x := float(v); finite(x) {
			h.Min, h.Max = min(h.Min, x), max(h.Max, x)
			h.Sum += x
			h.Squares += x * x
			h.Count++
		}
	}
	if h.Count == 0 {
		return nil
	}
	width := (h.Max - h.Min) / buckets
	if !(width > 0) || !finite(width) {
		h.Limits, h.Counts = []float64{h.Max}, []float64{float64(h.Count)}
		return h
	}
	h.Counts = make([]float64, buckets)
	for i := range buckets {
		h.Limits = append(h.Limits, h.Min+width*float64(i+1))
	}
	h.Limits[buckets-1] = h.Max
	for _, v := range list {
		if x := float(v); finite(x) {
			h.Counts[min(int((x-h.Min)/width), buckets-1)]++
		}
	}
	return h
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
