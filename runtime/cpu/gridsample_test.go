package cpu

import (
	"math"
	"testing"
)

// TestGridSample checks samples at the border, outside, and at NaN.
func TestGridSample(t *testing.T) {
	x := []float64{1, 2, 3, 4} // 2 by 2
	grid := []float64{-1, -1, 0, 0, 3, 0, math.NaN(), 0, math.Inf(1), 0}
	dst := make([]float64, 5)
	sample := func(mode SampleMode, border BorderMode) []float64 {
		GridSample(dst, x, grid, GridShape{Batches: 1, Channels: 1, Points: 5, In: []int{2, 2}, Mode: mode, Border: border, Align: true})
		return dst
	}
	about(t, "linear", sample(SampleLinear, BorderZeros), 1, 2.5, 0, 0, 0)
	about(t, "border", sample(SampleLinear, BorderNearest)[:3], 1, 2.5, 3)
	about(t, "reflection", sample(SampleLinear, BorderReflect)[:3], 1, 2.5, 2)
	about(t, "nearest", sample(SampleNearest, BorderNearest)[:3], 1, 1, 2)
	about(t, "cubic", sample(SampleCubic, BorderNearest)[:1], 1)
	if got := reflect(7.5, -0.5, 3.5); got != -0.5 {
		t.Errorf("reflected to %v, want -0.5", got)
	}
}

// TestAffineGrid checks grids of corners and of centers.
func TestAffineGrid(t *testing.T) {
	dst := make([]float64, 8)
	AffineGrid(dst, []float64{1, 0, 0, 0, 2, 1}, 1, []int{2, 2}, true)
	about(t, "corners", dst, -1, -1, 1, -1, -1, 3, 1, 3)
	AffineGrid(dst, []float64{1, 0, 0, 0, 1, 0}, 1, []int{2, 2}, false)
	about(t, "middles", dst, -.5, -.5, .5, -.5, -.5, .5, .5, .5)
}

func TestRoiAlign(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8} // 3 by 3
	p := RoiAlignParams{Batches: 1, Channels: 1, Height: 3, Width: 3, OutHeight: 1, OutWidth: 2, Samples: 1, Scale: 1}
	dst := make([]float64, 2)
	RoiAlign(dst, x, []float64{0, 0, 2, 2}, []int64{0}, p)
	about(t, "mean", dst, 3.5, 4.5)
	if failure(func() { RoiAlign(dst, x, []float64{0, 0, 2, 2}, []int64{1}, p) }) == nil {
		t.Error("image 1 of 1 is no error")
	}
	many := make([]float64, 20*2) // images that are the first one times 1, 2, …
	xs := make([]float64, 20*9)
	for i := range xs {
		xs[i] = x[i%9] * float64(i/9+1)
	}
	q := p
	q.Channels = 20
	RoiAlign(many, xs, []float64{0, 0, 2, 2}, []int64{0}, q)
	about(t, "channel 20", many[38:], 20*dst[0], 20*dst[1])
	q.Max = true
	RoiAlign(many, xs, []float64{0, 0, 2, 2}, []int64{0}, q)
	about(t, "channel 20 of maxima", many[38:], 20*many[0], 20*many[1])
	p.Samples = 0
	if failure(func() { RoiAlign(dst, x, []float64{0, 0, 1e30, 2}, []int64{0}, p) }) == nil {
		t.Error("an absurd region is no error")
	}
	MaxRoiPool(dst, x, []float64{0, 0, 0, 2, 1}, RoiPoolShape{Rois: 1, Batches: 1, Channels: 1, In: []int{3, 3}, Out: []int{1, 2}}, 1)
	about(t, "maximum", dst, 4, 5)
}

func TestNonMaxSuppression(t *testing.T) {
	boxes := []float32{0, 0, 1, 1, 1, 1.1, 0, 0.1, 0, 2, 1, 3} // the second overlaps the first, and has its corners swapped
	scores := []float32{0.5, 0.9, 0.7}
	picked, order, kept := make([]int64, 9), make([]int64, 3), make([]float32, 15)
	p := NMSParams{Batches: 1, Classes: 1, Boxes: 3}
	run := func(limit int64, overlap, threshold float32) []int64 {
		n := NonMaxSuppressionCount(picked, order, kept, boxes, scores, NMSLimits{Boxes: []int64{limit}, Overlap: []float32{overlap}, Score: []float32{threshold}}, p)
		return picked[:3*n]
	}
	equal(t, "overlap", run(9, 0.5, 0), 0, 0, 1, 0, 0, 2)
	equal(t, "limit", run(1, 0.5, 0), 0, 0, 1)
	equal(t, "threshold", run(9, 1, 0.6), 0, 0, 1, 0, 0, 2)
	equal(t, "none", run(-1, 0.5, 0))
}

func TestUnpool(t *testing.T) {
	dst := make([]float32, 6)
	MaxUnpool(dst, []float32{5, 6}, []int64{1, 2}, []int{2, 2}, []int{2, 3})
	equal(t, "unpool", dst, 0, 5, 0, 6, 0, 0)
	if failure(func() { MaxUnpool(dst, []float32{5}, []int64{4}, []int{2, 2}, []int{2, 3}) }) == nil {
		t.Error("index 4 of 4 is no error")
	}
	Col2Im(dst[:3], []float32{1, 2, 10, 20}, 1, Window{In: []int{3}, Out: []int{2}, Kernel: []int{2}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{0}})
	equal(t, "columns", dst[:3], 1, 12, 20)
	if failure(func() {
		Col2Im(dst[:3], []float32{1}, 1, Window{In: []int{3}, Out: []int{2}, Kernel: []int{2}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{0}})
	}) == nil {
		t.Error("too few columns are no error")
	}
}

func TestOthers(t *testing.T) {
	dst := make([]int32, 6)
	OneHot(dst, []int32{0, 7}, []int64{-1, 9}, 2, 3, 1)
	equal(t, "one hot", dst, 0, 0, 7, 0, 0, 0)
	ReverseSequence(dst, counted(6), []int64{2, 3}, 2, 3, 1, false)
	equal(t, "reversed", dst, 1, 0, 2, 5, 4, 3)
	Compress(dst[:2], counted(6), []bool{false, true}, 2, 3, 1)
	equal(t, "compressed", dst[:2], 1, 4)
	if n := RangeSize([]int64{math.MinInt64}, []int64{math.MaxInt64}, []int64{1 << 62}); n != 4 {
		t.Errorf("range of %d, want 4", n)
	}
	if n := RangeSize([]int64{5}, []int64{-2}, []int64{-3}); n != 3 {
		t.Errorf("range of %d, want 3", n)
	}
	if failure(func() { RangeSize([]float64{0}, []float64{math.NaN()}, []float64{1}) }) == nil {
		t.Error("a range to NaN is no error")
	}
}
