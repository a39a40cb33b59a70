package cpu

import "math"

// RoiAlignParams are the attributes of RoiAlign and the sizes of its input.
type RoiAlignParams struct {
	Batches, Channels   int
	Height, Width       int // of x
	OutHeight, OutWidth int
	Samples             int // along each axis of a cell; 0: as many as it has elements
	Scale               float64
	HalfPixel, Max      bool
}

// RoiAlign cuts regions out of images into cells of a grid, and takes the mean
// or the maximum of samples between elements in each. rois is [n, 4], dst is
// [n, channels, outHeight, outWidth].
func RoiAlign[T Float, I Index](dst, x, rois []T, batch []I, p RoiAlignParams) {
	plane, cells := p.Height*p.Width, p.OutHeight*p.OutWidth
	for n, b := range batch {
		if int(b) < 0 || int(b) >= p.Batches {
			badIndex("RoiAlign", int(b), p.Batches)
		}
		img := x[int(b)*p.Channels*plane:][:p.Channels*plane]
		out := dst[n*p.Channels*cells:][:p.Channels*cells]
		box := rois[n*4:][:4]
		rows := p.side(float64(box[1]), float64(box[3]), p.OutHeight)
		cols := p.side(float64(box[0]), float64(box[2]), p.OutWidth)
		for c := range p.Channels {
			for i := range p.OutHeight {
				for j := range p.OutWidth {
					out[c*cells+i*p.OutWidth+j] = roiCell(img[c*plane:][:plane], &p, rows, cols, i, j)
				}
			}
		}
	}
}

// roiSide is one axis of a region: where it begins, the size of a cell, and
// how many samples a cell has.
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
		if !(n <= 1<<20) {
			fail("RoiAlign", "a region reaches from %v to %v", from, to)
		}
		s.samples = max(int(n), 0)
	}
	return s
}

// at is the place of a sample of a cell.
func (s roiSide) at(cell, sample int) float64 {
	return s.start + float64(float64(cell)*s.cell) + float64((float64(sample)+0.5)*s.cell)/float64(s.samples)
}

// roiCell is the mean, or the maximum, of the samples of a cell.
func roiCell[T Float](img []T, p *RoiAlignParams, rows, cols roiSide, i, j int) T {
	sum, top := T(0), T(math.Inf(-1))
	for y := range rows.samples {
		y0, y1, v, okY := between(rows.at(i, y), p.Height)
		for x := range cols.samples {
			x0, x1, u, okX := between(cols.at(j, x), p.Width)
			if !okX || !okY {
				top = max(top, 0)
				continue
			}
			a := T(T((1-v)*(1-u)) * img[y0*p.Width+x0])
			b := T(T((1-v)*u) * img[y0*p.Width+x1])
			c := T(T(v*(1-u)) * img[y1*p.Width+x0])
			d := T(T(v*u) * img[y1*p.Width+x1])
			sum += a + b + c + d
			top = max(top, a, b, c, d)
		}
	}
	n := rows.samples * cols.samples
	switch {
	case n == 0:
		return 0
	case p.Max:
		return top
	}
	return sum / T(n)
}

// between is the two elements around a place, and how far it is from the
// first; it is not ok if the place is not between -1 and n.
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
