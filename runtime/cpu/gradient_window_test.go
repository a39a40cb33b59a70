package cpu

import (
	"fmt"
	"testing"
)

// gradientWindows have padding, steps, dilation, windows that meet no input, and one to three axes.
var gradientWindows = []Window{
	window([]int{7}, []int{3}, []int{1}, []int{1}, []int{1}, []int{1}),
	window([]int{1}, []int{1}, []int{1}, []int{1}, []int{1}, []int{0}),
	window([]int{6, 5}, []int{2, 3}, []int{2, 1}, []int{1, 2}, []int{1, 2}, []int{0, 2}),
	window([]int{4, 4}, []int{2, 2}, []int{2, 2}, []int{1, 1}, []int{0, 0}, []int{0, 0}),
	window([]int{3, 2, 4}, []int{2, 1, 3}, []int{1, 1, 2}, []int{2, 1, 1}, []int{1, 0, 1}, []int{0, 0, 1}),
	window([]int{2, 1}, []int{1, 3}, []int{1, 1}, []int{1, 1}, []int{0, 2}, []int{0, 0}), // lines shorter than the padding
}

// TestPoolGradients checks the gradients of pools.
func TestPoolGradients(t *testing.T) {
	const planes = 2
	var cases []gradientCase
	for _, w := range gradientWindows {
		in, out := planes*sizeOf(w.In), planes*sizeOf(w.Out)
		row := make([]float64, w.Out[len(w.Out)-1])
		cases = append(cases, gradientCase{name: fmt.Sprint("MaxPool ", w.In), sizes: []int{in}, out: out,
			apply: func(y []float64, in [][]float64) { MaxPool(y, in[0], planes, w); Max(y, y, []float64{-9}) }, // windows without inputs are -Inf
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				MaxPoolGrad(d[0], dy, in[0], row, make([]int64, len(row)), planes, w)
			}})
		for _, padded := range []bool{false, true} {
			cases = append(cases, gradientCase{name: fmt.Sprint("AveragePool ", w.In, padded), sizes: []int{in}, out: out,
				apply: func(y []float64, in [][]float64) { AveragePool(y, in[0], planes, padded, w) },
				gradient: func(d [][]float64, dy []float64, in [][]float64) {
					AveragePoolGrad(d[0], dy, row, planes, padded, false, w)
				}})
		}
	}
	testGradients(t, cases)
}

// Each output of a maximum belongs to one input, and each output of an average to inputs of equal weights: the sum of the
// gradient is that of the incoming one, if each window meets an input.
func TestPoolGradientsSum(t *testing.T) {
	for _, w := range gradientWindows[2:] {
		in, out := sizeOf(w.In), sizeOf(w.Out)
		x, dy, d := gaussians[float64](in), gaussians[float64](out), make([]float64, in)
		ones, row := slicesOf(in, 1.0), make([]float64, w.Out[len(w.Out)-1])
		want := []float64{inner(dy, slicesOf(out, 1.0))}
		MaxPoolGrad(d, dy, x, row, make([]int64, len(row)), 1, w)
		nearly(t, "MaxPoolGrad", []float64{inner(d, ones)}, want, 1e-12)
		AveragePoolGrad(d, dy, row, 1, false, false, w)
		nearly(t, "AveragePoolGrad", []float64{inner(d, ones)}, want, 1e-12)
	}
}

// slicesOf returns n elements v.
func slicesOf[T any](n int, v T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// TestConvGradients checks the gradients of convolutions by the images, the filters and the bias.
func TestConvGradients(t *testing.T) {
	const images, channels, filters, groups = 2, 4, 6, 2
	var cases []gradientCase
	for _, w := range gradientWindows {
		s := ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: w}
		back := s // the same filters, with the images of the result
		back.Channels, back.Filters = filters, channels
		in, out, taps := sizeOf(w.In), sizeOf(w.Out), sizeOf(w.Kernel)
		cols := make([]float64, channels*filters*taps*out)
		cases = append(cases, gradientCase{name: fmt.Sprint(w.In), sizes: []int{images * channels * in, filters * channels / groups * taps, filters}, out: images * filters * out,
			apply: func(y []float64, in [][]float64) {
				naiveConv(y, in[0], in[1], in[2], images, channels, filters, groups, w)
			},
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				ConvTranspose(d[0], dy, in[1], nil, cols, back)
				ConvGradWeight(d[1], dy, in[0], cols, s)
				ReduceSum(d[2], dy, []int{images, filters, out}, []int{1, filters, 1})
			}})
	}
	testGradients(t, cases)
}

// TestPlacementGradients checks the gradients of kernels that move elements.
func TestPlacementGradients(t *testing.T) {
	index2, places := []int64{0, -1, 0, -1, 1, 0}, []int64{3, 0, -1, 5, 3}
	roi := []float64{1, 0.6, 0, 4.2, 3, 0, -2, 1, 0, 2}
	pool := RoiPoolShape{Rois: 2, Batches: 2, Channels: 2, In: []int{4, 5}, Out: []int{2, 3}}
	cases := []gradientCase{
		{name: "GatherND", sizes: []int{2 * 2 * 3 * 2}, out: 2 * 3 * 3 * 2,
			apply: func(y []float64, in [][]float64) { GatherND(y, in[0], index2, 2, 3, 1, []int{2, 3, 2}) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				GatherNDGrad(d[0], dy, index2, 2, 3, 1, []int{2, 3, 2})
			}},
		{name: "Gather of elements", sizes: []int{2 * 6}, out: 2 * 5,
			apply:    func(y []float64, in [][]float64) { Gather(y, in[0], places, 2, 6, 1) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) { GatherGrad(d[0], dy, places, 2, 6, 1) }},
		{name: "Gather of rows", sizes: []int{2 * 6 * 3}, out: 2 * 5 * 3,
			apply:    func(y []float64, in [][]float64) { Gather(y, in[0], places, 2, 6, 3) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) { GatherGrad(d[0], dy, places, 2, 6, 3) }},
		{name: "MaxUnpool", sizes: []int{4}, out: 6,
			apply: func(y []float64, in [][]float64) { MaxUnpool(y, in[0], []int64{4, 1, 0, -1}, []int{2, 3}, []int{2, 3}) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				MaxUnpoolGrad(d[0], dy, []int64{4, 1, 0, -1}, []int{2, 3}, []int{2, 3})
			}},
		{name: "MaxUnpool into a larger tensor", sizes: []int{3}, out: 12,
			apply: func(y []float64, in [][]float64) { MaxUnpool(y, in[0], []int64{4, 1, 3}, []int{2, 3}, []int{3, 4}) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				MaxUnpoolGrad(d[0], dy, []int64{4, 1, 3}, []int{2, 3}, []int{3, 4})
			}},
		{name: "MaxRoiPool", sizes: []int{2 * 2 * 4 * 5}, out: 2 * 2 * 2 * 3,
			apply:    func(y []float64, in [][]float64) { MaxRoiPool(y, in[0], roi, pool, 0.9) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) { MaxRoiPoolGrad(d[0], dy, in[0], roi, pool, 0.9) }},
		{name: "a scalar", sizes: []int{1}, out: 1,
			apply:    func(y []float64, in [][]float64) { Pad(y, in[0], nil, nil, nil, nil, PadEdge) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) { PadGrad(d[0], dy, nil, nil, nil, nil, PadEdge) }},
	}
	shape, size, pads := []int{2, 3, 2}, []int{2, 7, 9}, []int{-1, 3, 4, 1, 1, 3}
	for _, mode := range []PadMode{PadEdge, PadReflect, PadWrap} {
		cases = append(cases, gradientCase{name: fmt.Sprint("Pad in mode ", mode), sizes: []int{sizeOf(shape)}, out: sizeOf(size),
			apply: func(y []float64, in [][]float64) { Pad(y, in[0], nil, shape, size, pads[:3], mode) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				PadGrad(d[0], dy, shape, size, pads, []int{0, 1, -1}, mode)
			}})
	}
	testGradients(t, cases)
	for want, f := range map[string]func(){
		"MaxUnpoolGrad: index 6 is out of range for an axis of size 6": func() { MaxUnpoolGrad([]float64{0}, make([]float64, 6), []int64{6}, []int{2, 3}, []int{2, 3}) },
		"MaxUnpool: index 2 is out of range for an axis of size 2":     func() { MaxUnpoolGrad([]float64{0}, make([]float64, 4), []int64{2}, []int{2, 3}, []int{2, 2}) },
		"GatherGrad: index -7 is out of range for an axis of size 6":   func() { GatherGrad(make([]float64, 6), []float64{1}, []int32{-7}, 1, 6, 1) },
		"ScatterND: index 2 is out of range for an axis of size 2":     func() { GatherNDGrad(make([]float64, 2), []float64{1}, []int32{2}, 1, 1, 1, []int{2}) },
		"MaxRoiPool: index 2 is out of range for an axis of size 2": func() {
			MaxRoiPoolGrad(make([]float64, 80), nil, nil, []float64{2, 0, 0, 0, 0}, RoiPoolShape{Rois: 1, Batches: 2, In: pool.In, Out: pool.Out}, 1)
		},
		"MaxRoiPool: a region has the coordinate NaN": func() {
			MaxRoiPool(nil, nil, []float64{nan, 0, 0, 0, 0}, RoiPoolShape{Rois: 1, Batches: 2, In: pool.In, Out: pool.Out}, 1)
		},
	} {
		if got := complaint(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
