package cpu

import "testing"

// resized is a vector resized to n elements.
func resized(x []float64, n int, line ResizeLine) []float64 {
	line.In, line.Out = len(x), n
	scale := make([]float64, 1)
	ResizeRatios(scale, []int{n}, []int{len(x)})
	dst, first := make([]float64, n), make([]int64, n)
	if line.Filter < ResizeLinear {
		ResizeIndex(first, 0, scale, nil, line)
		ResizeNearest(dst, x, nil, first, []int{len(x)}, []int{n})
		return dst
	}
	weights := make([]float64, 8*(len(x)+n))
	ResizeWeights(weights, first, scale, nil, line)
	ResizeAxis(dst, x, weights, first, scale, line, 1, 1)
	return dst
}

// TestResize checks each filter and each transformation of coordinates.
func TestResize(t *testing.T) {
	x := []float64{0, 4, 8, 12}
	for _, c := range []struct {
		name string
		line ResizeLine
		n    int
		want []float64
	}{
		{"nearest", ResizeLine{Coord: ResizeAsymmetric, Filter: ResizeFloor}, 8, []float64{0, 0, 4, 4, 8, 8, 12, 12}},
		{"half down", ResizeLine{Filter: ResizeRoundPreferFloor}, 2, []float64{0, 8}},
		{"half up", ResizeLine{Filter: ResizeRoundPreferCeil}, 2, []float64{4, 12}},
		{"version 10", ResizeLine{Coord: ResizeAsymmetric, Filter: ResizeSimple}, 3, []float64{0, 8, 12}},
		{"linear", ResizeLine{Filter: ResizeLinear}, 8, []float64{0, 1, 3, 5, 7, 9, 11, 12}},
		{"corners", ResizeLine{Coord: ResizeAlignCorners, Filter: ResizeLinear}, 7, []float64{0, 2, 4, 6, 8, 10, 12}},
		{"wide", ResizeLine{Filter: ResizeLinear, Antialias: true}, 1, []float64{6}},
		{"cubic", ResizeLine{Coord: ResizeAlignCorners, Filter: ResizeCubic, CubicA: -0.75}, 4, x},
		{"none", ResizeLine{Filter: ResizeLinear}, 0, nil},
	} {
		about(t, c.name, resized(x, c.n, c.line), c.want...)
	}
	if failure(func() { resized(nil, 2, ResizeLine{Filter: ResizeLinear}) }) == nil {
		t.Error("nothing resized to 2 is no error")
	}
	if failure(func() { ResizeSize([]float32{1e30}, 0, 4) }) == nil {
		t.Error("an absurd scale is no error")
	}
	if n := ResizeKeptSize([]int{9, 11}, []int{2, 3}, false, 0); n != 7 {
		t.Errorf("kept size is %d, want 7", n)
	}
}
