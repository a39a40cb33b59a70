package view

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestStats shows statistics of tensors of several types. If a sum overflows, the mean is the bound.
func TestStats(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	huge := float32(math.MaxFloat32)
	for _, tt := range []struct {
		x    *tensor.Tensor
		want *Stats // without the histogram
		bin  int    // of the last finite element; -1: there is no histogram
	}{
		{tensor.Of([]float32{0, 1, 2, 3}, 4), &Stats{Min: 0, Max: 3, Mean: 1.5, Zeros: 1}, bins - 1},
		{tensor.Of([]float32{nan, 1, inf, 0.5}, 4), &Stats{Min: 0.5, Max: 1, Mean: 0.75, NotFinite: 2}, 0},
		{tensor.Of([]float32{-huge, huge}, 2), &Stats{Min: -float64(huge), Max: float64(huge), Mean: 0}, bins - 1},
		{tensor.Of([]float64{-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, 4), &Stats{Min: -math.MaxFloat64, Max: math.MaxFloat64, Mean: math.MaxFloat64}, bins - 1},
		{tensor.Of([]float32{5, 5}, 2), &Stats{Min: 5, Max: 5, Mean: 5}, -1},
		{tensor.Of([]int8{-3, 0, 1}, 3), &Stats{Min: -3, Max: 1, Mean: -2.0 / 3, Zeros: 1}, -1},
		{tensor.Of([]tensor.BF16{tensor.ToBFloat16(2), tensor.ToBFloat16(-2)}, 2), &Stats{Min: -2, Max: 2}, 0},
		{tensor.Of([]float32{nan}, 1), nil, -1},
		{tensor.Of([]float32{}, 0), nil, -1},
		{tensor.Of([]string{"a"}, 1), nil, -1},
		{tensor.Of([]bool{true}, 1), nil, -1},
	} {
		got := statsOf(tt.x)
		if (got == nil) != (tt.want == nil) {
			t.Errorf("%v: got %v, want %v", tt.x, got, tt.want)
		}
		if got == nil || tt.want == nil {
			continue
		}
		if got.Min != tt.want.Min || got.Max != tt.want.Max || got.Zeros != tt.want.Zeros || got.NotFinite != tt.want.NotFinite || math.Abs(got.Mean-tt.want.Mean) > 1e-9*math.Abs(tt.want.Mean) {
			t.Errorf("%v: got %+v, want %+v", tt.x, *got, *tt.want)
		}
		sum := 0
		for _, n := range got.Histogram {
			sum += n
		}
		switch {
		case (tt.bin < 0) != (got.Histogram == nil):
			t.Errorf("%v: the histogram is %v", tt.x, got.Histogram)
		case tt.bin >= 0 && (sum != tt.x.Len()-got.NotFinite || got.Histogram[tt.bin] == 0):
			t.Errorf("%v: the histogram %v has %d elements", tt.x, got.Histogram, sum)
		}
	}
}
