package cpu

import (
	"fmt"
	"testing"
)

// The special kernels for float32 have results near those of float64.
func TestResizeAxis32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, inner := range []int{1, 3, 17} {
			for _, out := range []int{1, 5, 9, 20} {
				for _, filter := range []ResizeFilter{ResizeLinear, ResizeCubic} {
					const outer, in = 2, 9
					p := ResizeLine{In: in, Out: out, Coord: ResizeHalfPixel, Filter: filter, CubicA: -0.75}
					scale := []float64{float64(out) / in}
					first := make([]int64, out)
					weights := make([]float64, 8*out)
					ResizeWeights(weights, first, scale, nil, p)
					x := gaussians[float64](outer * in * inner)
					want := make([]float64, outer*out*inner)
					ResizeAxis(want, x, weights, first, scale, p, outer, inner)
					got, check := guarded(len(want))
					ResizeAxis(got, narrow32(x), narrow32(weights), first, scale, p, outer, inner)
					check(t)
					nearly(t, fmt.Sprint(inner, out, filter), widen64(got), want, 1e-5)
				}
			}
		}
	})
}
