package cpu

import (
	"fmt"
	"testing"
)

// TestGridSampleGradients checks the gradients by the data and by the points, some of which are outside.
func TestGridSampleGradients(t *testing.T) {
	const batches, channels, points = 2, 2, 12
	var cases []gradientCase
	for _, in := range [][]int{{6}, {4, 5}, {3, 2, 4}, {1, 3}} {
		for _, mode := range []SampleMode{SampleLinear, SampleNearest, SampleCubic} {
			for _, border := range []BorderMode{BorderZeros, BorderNearest, BorderReflect} {
				for _, align := range []bool{false, true} {
					o := GridShape{Batches: batches, Channels: channels, Points: points, In: in, Mode: mode, Border: border, Align: align}
					cases = append(cases, gradientCase{name: fmt.Sprint(in, mode, border, align),
						sizes: []int{batches * channels * sizeOf(in), batches * points * len(in)}, out: batches * channels * points,
						apply:    func(y []float64, in [][]float64) { GridSample(y, in[0], in[1], o) },
						gradient: func(d [][]float64, dy []float64, in [][]float64) { GridSampleGrad(d[0], d[1], dy, in[0], in[1], o) },
						prepare:  func(in [][]float64) { Mul(in[1], in[1], []float64{1.6}) }})
				}
			}
		}
	}
	testGradients(t, cases)
}

// TestRoiAlignGradients checks the gradients by the images and by the sides of regions, which reach beyond the image, have no
// area, or are turned over.
func TestRoiAlignGradients(t *testing.T) {
	regions := []float64{0.31, 0.73, 4.17, 3.19, -2.43, -1.37, 3.29, 8.51, 2.23, 1.11, 2.47, 1.29, 3.61, 2.93, 1.41, 0.27}
	batch := []int64{1, 0, 1, 0}
	p := RoiAlignParams{Batches: 2, Channels: 2, Height: 4, Width: 5, OutHeight: 2, OutWidth: 3, Scale: 0.8}
	var cases []gradientCase
	for mask := range 4 {
		for _, p.Samples = range []int{0, 1, 2} {
			p.HalfPixel, p.Max = mask&1 != 0, mask&2 != 0
			p := p
			cases = append(cases, gradientCase{name: fmt.Sprint(p.HalfPixel, p.Max, p.Samples), sizes: []int{2 * 2 * 4 * 5, len(regions)}, out: len(batch) * 2 * 2 * 3,
				apply: func(y []float64, in [][]float64) { RoiAlign(y, in[0], in[1], batch, p) },
				gradient: func(d [][]float64, dy []float64, in [][]float64) {
					RoiAlignGrad(d[0], d[1], dy, in[0], in[1], batch, p)
				},
				prepare: func(in [][]float64) { copy(in[1], regions) }})
		}
	}
	testGradients(t, cases)
	want := "RoiAlignGrad: index 2 is out of range for an axis of size 2"
	if got := complaint(func() { RoiAlignGrad(nil, nil, nil, nil, regions, []int64{2}, p) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDeformGradients checks the gradients by the images, the offsets and the mask, with and without a mask.
func TestDeformGradients(t *testing.T) {
	const images, channels, groups = 1, 4, 2
	var cases []gradientCase
	for _, w := range gradientWindows[2:] {
		s := DeformShape{Images: images, Channels: channels, OffsetGroups: groups, Window: w}
		taps := sizeOf(w.Kernel) * sizeOf(w.Out)
		sizes := []int{images * channels * sizeOf(w.In), images * groups * taps * len(w.In), images * groups * taps}
		cases = append(cases, gradientCase{name: fmt.Sprint(w.In), sizes: sizes[:2], out: images * channels * taps,
			apply: func(y []float64, in [][]float64) { DeformSample(y, in[0], in[1], nil, s) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				DeformSampleGrad(d[0], d[1], nil, dy, in[0], in[1], nil, s)
			}}, gradientCase{name: fmt.Sprint(w.In, " with a mask"), sizes: sizes, out: images * channels * taps,
			apply: func(y []float64, in [][]float64) { DeformSample(y, in[0], in[1], in[2], s) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				DeformSampleGrad(d[0], d[1], d[2], dy, in[0], in[1], in[2], s)
			}})
	}
	testGradients(t, cases)
}
