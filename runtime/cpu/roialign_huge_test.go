package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// roiWeights sums, for one axis of a cell, the weights of all its samples at each element of an axis of n.
func roiWeights(start, cell float64, at, samples, n int) []float64 {
	w := make([]float64, n)
	line := make([]float64, n)
	for k := range samples {
		pos := start + float64(at)*cell + (float64(k)+0.5)*cell/float64(samples)
		if pos < -1 || pos > float64(n) {
			continue
		}
		pos = min(max(pos, 0), float64(n-1))
		low := min(int(pos), n-1)
		clear(line)
		line[low] = 1 - (pos - float64(low))
		if low+1 < n {
			line[low+1] = pos - float64(low)
		}
		for i, v := range line {
			w[i] += v
		}
	}
	return w
}

// TestRoiAlignHuge computes a region of 2²⁰ samples a side, 2⁴⁰ of a cell: only those at the image are worth any work. The
// mean of a grid of samples is the product of the weights of both axes.
func TestRoiAlignHuge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const h, w = 5, 4
	x := uniform[float64](rng, h*w)
	for _, half := range []bool{true, false} {
		for _, cells := range []int{1, 3} {
			p := RoiAlignParams{Batches: 1, Channels: 1, Height: h, Width: w, OutHeight: cells, OutWidth: cells, Scale: 1 << 8, HalfPixel: half}
			size := float64(cells) * (1 << 20)
			x0, y0 := -size/3, -size/2
			roi := []float64{x0 / p.Scale, y0 / p.Scale, (x0 + size) / p.Scale, (y0 + size) / p.Scale}
			got, dx := make([]float64, cells*cells), make([]float64, h*w)
			RoiAlign(got, x, roi, []int64{0}, p)
			dy := uniform[float64](rng, cells*cells)
			RoiAlignGrad(dx, make([]float64, 4), dy, x, roi, []int64{0}, p)
			if half {
				x0, y0 = x0-0.5, y0-0.5
			}
			want, wantGrad := make([]float64, cells*cells), make([]float64, h*w)
			for i := range cells {
				rows := roiWeights(y0, 1<<20, i, 1<<20, h)
				for j := range cells {
					cols := roiWeights(x0, 1<<20, j, 1<<20, w)
					for r, a := range rows {
						for c, b := range cols {
							weight := a * b / (1 << 40)
							want[i*cells+j] += weight * x[r*w+c]
							wantGrad[r*w+c] += weight * dy[i*cells+j]
						}
					}
				}
			}
			nearly(t, fmt.Sprint("huge ", p), got, want, 1e-20)
			nearly(t, fmt.Sprint("gradient of huge ", p), dx, wantGrad, 1e-20)
		}
	}
}

// TestRoiAlignBeyond compares regions that are much larger than the image, or beside it, with the definition: means and maxima,
// which are at least 0 where a sample is outside.
func TestRoiAlignBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rois := []float64{-40, -31, 70, 55, -1, -1, 4, 3, 30, 1, 90, 2, 1, -90, 2, -30, 0, -1, 3, 4, -3.5, -2.5, 3.5, 2.5, 3, 2, 0, 1}
	for _, shift := range []float64{0, -1} { // -1: all elements are negative
		p := RoiAlignParams{Batches: 1, Channels: 1, Height: 3, Width: 4, OutHeight: 2, OutWidth: 2, Scale: 1}
		x := uniform[float64](rng, 12)
		for i := range x {
			x[i] += 2 * shift
		}
		for mask := range 4 {
			p.HalfPixel, p.Max = mask&1 != 0, mask&2 != 0
			for r := range len(rois) / 4 {
				roi := row(rois, r, 4)
				if p.Max && p.HalfPixel && (roi[0] > roi[2]) {
					continue // no samples, for which the definition has no maximum
				}
				got, want := make([]float64, 4), make([]float64, 4)
				for k := range want {
					want[k] = exactRoiAlign(x, roi, p, k/2, k%2)
				}
				RoiAlign(got, x, roi, []int32{0}, p)
				nearly(t, fmt.Sprint(roi, p), got, want, 1e-12)
			}
		}
	}
}

// TestRoiAlignEndless refuses regions that have no number of samples, instead of computing it.
func TestRoiAlignEndless(t *testing.T) {
	p := RoiAlignParams{Batches: 1, Channels: 1, Height: 1, Width: 1, OutHeight: 1, OutWidth: 1, Scale: 1}
	for _, roi := range [][]float64{{0, 0, inf, 1}, {-inf, 0, inf, 1}, {0, nan, 1, 1}, {0, 0, 1, 1 << 21}, {-1e300, 0, 1e300, 1}} {
		if failure(func() { RoiAlign(make([]float64, 1), []float64{1}, roi, []int64{0}, p) }) == nil {
			t.Errorf("region %v is no error", roi)
		}
		if failure(func() {
			RoiAlignGrad(make([]float64, 1), make([]float64, 4), []float64{1}, []float64{1}, roi, []int64{0}, p)
		}) == nil {
			t.Errorf("the gradient of region %v is no error", roi)
		}
	}
}
