package cpu

import (
	"math"
	"sort"
)

// RoiAlignParams are the attributes of RoiAlign and the sizes of its input.
type RoiAlignParams struct {
	Batches, Channels   int
	Height, Width       int // of x
	OutHeight, OutWidth int
	Samples             int // along each axis of a cell; 0: the number of its elements
	Scale               float64
	HalfPixel, Max      bool
}

// RoiAlign divides regions of images into cells of a grid, and takes the mean or the maximum of interpolated
// samples in each. rois is [n, 4], dst is [n, channels, outHeight, outWidth].
func RoiAlign[T Float, I Index](dst, x, rois []T, batch []I, p RoiAlignParams) {
	plane, cells := p.Height*p.Width, p.OutHeight*p.OutWidth
	for n, b := range batch {
		b := toInt(b)
		if b < 0 || b >= p.Batches {
			badIndex("RoiAlign", b, p.Batches)
		}
		img := x[b*p.Channels*plane:][:p.Channels*plane]
		out := dst[n*p.Channels*cells:][:p.Channels*cells]
		box := rois[n*4:][:4]
		rows := p.side(float64(box[1]), float64(box[3]), p.OutHeight)
		cols := p.side(float64(box[0]), float64(box[2]), p.OutWidth)
		for c := 0; c < p.Channels; c += roiChannels {
			some := min(roiChannels, p.Channels-c)
			for i := range p.OutHeight {
				for j := range p.OutWidth {
					roiCell(out[c*cells+i*p.OutWidth+j:], img[c*plane:][:some*plane], some, &p, rows, cols, i, j)
				}
			}
		}
	}
}

// roiChannels is the number of channels that are sampled together.
const roiChannels = 16

// maxRoiSamples is the maximum number of samples of a cell along an axis, where the region determines it.
const maxRoiSamples = 1 << 20

// roiSide is one axis of a region: its begin, the size of a cell, and the number of samples of a cell.
type roiSide struct {
	start, cell float64
	samples     int
}

func (p *RoiAlignParams) side(from, to float64, cells int) roiSide {
	from, to = float64(from*p.Scale), float64(to*p.Scale)
	size := to - from
	if p.HalfPixel {
		from -= 0.5
	} else {
		size = max(size, 1)
	}
	s := roiSide{from, size / float64(cells), p.Samples}
	if s.samples <= 0 {
		n := math.Ceil(s.cell)
		if !(n <= maxRoiSamples) {
			fail("RoiAlign", "a region reaches from %v to %v", from, to)
		}
		s.samples = max(int(n), 0)
	}
	return s
}

// at returns the position of a sample of a cell.
func (s roiSide) at(cell, sample int) float64 {
	return s.start + float64(float64(cell)*s.cell) + float64((float64(sample)+0.5)*s.cell)/float64(s.samples)
}

// inside returns the range of samples of a cell that are between -1 and n. Where the region determines the number of
// samples, they are at least half an element apart: however large the region is, about 2n of them are inside.
func (s roiSide) inside(cell, n int) (from, to int) {
	if !(s.cell > 0) {
		return 0, s.samples // positions do not ascend
	}
	from = sort.Search(s.samples, func(k int) bool { return s.at(cell, k) >= -1 })
	to = sort.Search(s.samples, func(k int) bool { return s.at(cell, k) > float64(n) })
	return from, to
}

// roiCell writes the mean, or the maximum, of the samples of a cell in each of a number of images, at most
// roiChannels. The results are a grid apart.
func roiCell[T Float](dst, imgs []T, channels int, p *RoiAlignParams, rows, cols roiSide, i, j int) {
	var sum [roiChannels]T
	plane, cells := p.Height*p.Width, p.OutHeight*p.OutWidth
	result := sum[:channels]
	n := float64(rows.samples) * float64(cols.samples)
	top, bottom := rows.inside(i, p.Height)
	left, right := cols.inside(j, p.Width)
	if p.Max && float64(bottom-top)*float64(right-left) == n && n > 0 {
		Fill(result, math.Inf(-1)) // the samples outside are 0
	}
	for y := top; y < bottom; y++ {
		y0, y1, v, okY := between(rows.at(i, y), p.Height)
		for x := left; x < right; x++ {
			x0, x1, u, okX := between(cols.at(j, x), p.Width)
			s := roiSample[T]{
				at:     [4]int{y0*p.Width + x0, y0*p.Width + x1, y1*p.Width + x0, y1*p.Width + x1},
				weight: [4]T{T((1 - v) * (1 - u)), T((1 - v) * u), T(v * (1 - u)), T(v * u)},
			}
			switch {
			case okX && okY && p.Max:
				s.largest(result, imgs, plane)
			case okX && okY:
				s.add(result, imgs, plane)
			case p.Max:
				for k := range result {
					result[k] = max(result[k], 0)
				}
			}
		}
	}
	for k, v := range result {
		if n > 0 && !p.Max {
			v /= T(n)
		}
		dst[k*cells] = v
	}
}

// roiSample is the four elements around a position, and their weights.
type roiSample[T Float] struct {
	at     [4]int
	weight [4]T
}

// add adds the value at the position in each image.
func (s *roiSample[T]) add(sum, imgs []T, plane int) {
	for k := range sum {
		img := imgs[k*plane:][:plane]
		a, b := T(s.weight[0]*img[s.at[0]]), T(s.weight[1]*img[s.at[1]])
		c, d := T(s.weight[2]*img[s.at[2]]), T(s.weight[3]*img[s.at[3]])
		sum[k] += a + b + c + d
	}
}

// largest updates the maximum of the four weighted elements in each image.
func (s *roiSample[T]) largest(top, imgs []T, plane int) {
	for k := range top {
		img := imgs[k*plane:][:plane]
		for i, at := range s.at {
			top[k] = max(top[k], T(s.weight[i]*img[at]))
		}
	}
}

// between returns the two elements around a position, and its distance from the first. It returns false if
// the position is not between -1 and n.
func between(at float64, n int) (lo, hi int, frac float64, ok bool) {
	if !(at >= -1 && at <= float64(n)) || n == 0 {
		return 0, 0, 0, false
	}
	at = max(at, 0)
	lo = int(at)
	if lo >= n-1 {
		return n - 1, n - 1, 0, true
	}
	return lo, lo + 1, at - float64(lo), true
}
