package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// bilinear is the value of an image between its elements, by ONNX's RoiAlign: 0 beyond a distance of 1 from the image, and up to
// there that of the border. Terms are the four weighted elements.
func bilinear(img []float64, height, width int, y, x float64) (sum float64, terms [4]float64) {
	if y < -1 || y > float64(height) || x < -1 || x > float64(width) {
		return 0, terms
	}
	y, x = min(max(y, 0), float64(height-1)), min(max(x, 0), float64(width-1))
	top, left := math.Floor(y), math.Floor(x)
	for k := range terms {
		cy, cx := min(top+float64(k/2), float64(height-1)), min(left+float64(k%2), float64(width-1))
		wy, wx := 1-(y-top), 1-(x-left)
		if k/2 == 1 {
			wy = y - top
		}
		if k%2 == 1 {
			wx = x - left
		}
		terms[k] = wy * wx * img[int(cy)*width+int(cx)]
		sum += terms[k]
	}
	return sum, terms
}

// exactRoiAlign computes one cell of one region: the mean or the maximum of its samples.
func exactRoiAlign(img, roi []float64, p RoiAlignParams, i, j int) float64 {
	half := 0.0
	if p.HalfPixel {
		half = 0.5
	}
	x0, y0, x1, y1 := roi[0]*p.Scale-half, roi[1]*p.Scale-half, roi[2]*p.Scale-half, roi[3]*p.Scale-half
	h, w := y1-y0, x1-x0
	if !p.HalfPixel {
		h, w = max(h, 1), max(w, 1)
	}
	h, w = h/float64(p.OutHeight), w/float64(p.OutWidth)
	ny, nx := p.Samples, p.Samples
	if p.Samples == 0 {
		ny, nx = int(math.Ceil(h)), int(math.Ceil(w))
	}
	sum, top := 0.0, -inf
	for a := range ny {
		for b := range nx {
			y := y0 + float64(i)*h + (float64(a)+0.5)*h/float64(ny)
			x := x0 + float64(j)*w + (float64(b)+0.5)*w/float64(nx)
			v, terms := bilinear(img, p.Height, p.Width, y, x)
			sum += v
			for _, v := range terms {
				top = max(top, v)
			}
		}
	}
	if p.Max {
		return top
	}
	return sum / float64(max(ny*nx, 1))
}

// TestRoiAlignDefinition compares regions that are inside, beyond, and smaller than an element with the definition.
func TestRoiAlignDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rois := []float64{0, 0, 4, 3, -3, -2, 9, 8, 1.3, 2.1, 1.4, 2.2, 4, 3, 5, 4, 0.5, 0.5, 3.25, 2.75}
	batch := []int32{0, 1, 1, 0, 1}
	p := RoiAlignParams{Batches: 2, Channels: 17, Height: 4, Width: 5, OutHeight: 2, OutWidth: 3}
	x := uniform[float64](rng, p.Batches*p.Channels*p.Height*p.Width)
	for _, p.Scale = range []float64{1, 0.7} {
		for _, p.Samples = range []int{0, 1, 3} {
			for mask := range 4 {
				p.HalfPixel, p.Max = mask&1 != 0, mask&2 != 0
				var want []float64
				for r, b := range batch {
					for c := range p.Channels {
						for k := range p.OutHeight * p.OutWidth {
							img := row(x, int(b)*p.Channels+c, p.Height*p.Width)
							want = append(want, exactRoiAlign(img, rois[4*r:], p, k/p.OutWidth, k%p.OutWidth))
						}
					}
				}
				got, single := make([]float64, len(want)), make([]float32, len(want))
				RoiAlign(got, x, rois, batch, p)
				nearly(t, fmt.Sprint(p), got, want, 1e-12)
				RoiAlign(single, narrow32(x), narrow32(rois), batch, p)
				if p.Scale == 1 { // positions of samples are the same floats in both types
					nearly(t, fmt.Sprint("float32 ", p), widen64(single), want, 1e-5)
				}
			}
		}
	}
}

// An image that an int of 32 bits would take for the first one does not exist.
func TestRoiAlignDefinitionOfImages(t *testing.T) {
	p := RoiAlignParams{Batches: 1, Channels: 1, Height: 1, Width: 1, OutHeight: 1, OutWidth: 1, Samples: 1, Scale: 1}
	x, roi := []float64{1}, []float64{0, 0, 1, 1}
	for _, image := range []int64{-1, 1, 1 << 32} {
		if failure(func() { RoiAlign(make([]float64, 1), x, roi, []int64{image}, p) }) == nil {
			t.Errorf("RoiAlign of image %d of 1 is no error", image)
		}
		if failure(func() { RoiAlignGrad(make([]float64, 1), make([]float64, 4), x, x, roi, []int64{image}, p) }) == nil {
			t.Errorf("RoiAlignGrad of image %d of 1 is no error", image)
		}
	}
}

// TestMaxRoiPoolDefinition compares cells with the maximum of their elements, which is 0 of none.
func TestMaxRoiPoolDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := RoiPoolShape{Rois: 60, Batches: 2, Channels: 2, In: []int{5, 7}, Out: []int{3, 2}}
	x, rois := uniform[float64](rng, 2*2*5*7), make([]float64, 5*60)
	x[11] = nan
	for i := range rois {
		if rois[i] = float64(rng.IntN(15)) - 3; i%5 == 0 {
			rois[i] = float64(rng.IntN(2))
		}
	}
	const scale = 0.75
	got := make([]float64, 60*2*3*2)
	MaxRoiPool(got, x, rois, s, scale)
	for at, v := range got {
		r, c, i, j := at/12, at/6%2, at/2%3, at%2
		roi := row(rois, r, 5)
		y0, y1 := roiCellEdges(roi[2], roi[4], scale, i, 3, 5)
		x0, x1 := roiCellEdges(roi[1], roi[3], scale, j, 2, 7)
		want := 0.0
		if y0 < y1 && x0 < x1 {
			want = -inf
		}
		for y := y0; y < y1; y++ {
			for k := x0; k < x1; k++ {
				want = max(want, x[((int(roi[0])*2+c)*5+y)*7+k])
			}
		}
		if !same(v, want) {
			t.Errorf("region %v, cell %d, %d: got %v, want %v", roi, i, j, v, want)
		}
	}
}

// roiCellEdges returns the elements lo ≤ i < hi of cell k of n between two corners: those from ⌊k·size/n⌋ to ⌈(k+1)·size/n⌉.
func roiCellEdges(from, to, scale float64, k, n, limit int) (lo, hi int) {
	begin := math.Round(from * scale)
	size := max(math.Round(to*scale)-begin+1, 1) / float64(n)
	lo = int(begin + math.Floor(float64(k)*size))
	hi = int(begin + math.Ceil(float64(k+1)*size))
	return min(max(lo, 0), limit), min(max(hi, 0), limit)
}
