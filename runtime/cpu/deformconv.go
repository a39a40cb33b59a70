package cpu

import "math"

// DeformConv is [Conv] whose taps are moved and weighted at each place:
//
//	for n, m, o := range dst { // image, filter, place
//		sum := bias[m]
//		for c, k := range w[m] { // channel, tap
//			at := o·stride + k·dilation - pad + offset[n, k, :, o]
//			sum += w[m, c, k] * mask[n, k, o] * x[n, c, at]
//		}
//		dst[n, m, o] = sum
//	}
//
// where x is interpolated linearly between its elements and zero outside. Channels share offsets and masks by
// offset groups. A nil mask is one, a nil bias zero. cols needs an element for each channel, tap and place.
func DeformConv[T Float](dst, x, w, offset, bias, mask, cols []T, s DeformShape) {
	if len(dst) == 0 {
		return
	}
	d := newDeform[T](s.Window, s.Channels, s.OffsetGroups)
	depth, rows := s.Channels/s.Groups, s.Filters/s.Groups
	taps := d.taps * d.places
	for n := range s.Images {
		d.image(cols, x, offset, mask, n)
		for g := range s.Groups {
			out := dst[(n*s.Filters+g*rows)*d.places:][:rows*d.places]
			wg := w[g*rows*depth*d.taps:][:rows*depth*d.taps]
			Gemm(out, wg, cols[g*depth*taps:][:depth*taps], nil, GemmShape{M: rows, K: depth * d.taps, N: d.places, Alpha: 1}, nil)
			for m := range rows {
				if bias != nil {
					row := out[m*d.places:][:d.places]
					Add(row, row, bias[g*rows+m:][:1])
				}
			}
		}
	}
}

// DeformSample computes the elements that a [DeformConv] multiplies with its filters: for each image,
// channel, tap and place.
func DeformSample[T Float](dst, x, offset, mask []T, s DeformShape) {
	d := newDeform[T](s.Window, s.Channels, s.OffsetGroups)
	for n := range s.Images {
		d.image(row(dst, n, s.Channels*d.taps*d.places), x, offset, mask, n)
	}
}

// deform computes the columns of one offset group.
type deform[T Float] struct {
	win                   Window
	groups, shared        int // the number of offset groups, and the channels of each
	taps, places, inSize  int
	x, cols, offset, mask []T
}

func newDeform[T Float](win Window, channels, groups int) deform[T] {
	d := deform[T]{win: win, groups: groups, shared: channels / groups, taps: 1, places: 1, inSize: 1}
	for i := range win.In {
		d.taps *= win.Kernel[i]
		d.places *= win.Out[i]
		d.inSize *= win.In[i]
	}
	return d
}

// image computes the columns of image n.
func (d *deform[T]) image(cols, x, offset, mask []T, n int) {
	for g := range d.groups {
		d.group(x, offset, mask, n*d.groups+g)
		d.cols = row(cols, g, d.shared*d.taps*d.places)
		d.sample()
	}
}

// group selects offset group i of all images.
func (d *deform[T]) group(x, offset, mask []T, i int) {
	taps := d.taps * d.places
	d.x = row(x, i, d.shared*d.inSize)
	d.offset = row(offset, i, taps*len(d.win.In))
	if mask != nil {
		d.mask = row(mask, i, taps)
	}
}

func (d *deform[T]) sample() {
	clear(d.cols)
	var at [maxRank]float64
	rank := len(d.win.In)
	for k := range d.taps {
		for p := range d.places {
			d.locate(at[:rank], k, p)
			for corner := range 1 << rank {
				d.corner(at[:rank], corner, d.weight(k, p), k*d.places+p)
			}
		}
	}
}

// locate writes the point that tap k reads for a place.
func (d *deform[T]) locate(at []float64, k, place int) {
	for i, tap, o := len(at)-1, k, place; i >= 0; i-- {
		base := o%d.win.Out[i]*d.win.Stride[i] + tap%d.win.Kernel[i]*d.win.Dilation[i] - d.win.Pad[i]
		tap /= d.win.Kernel[i]
		o /= d.win.Out[i]
		at[i] = float64(base) + float64(d.offset[(k*len(at)+i)*d.places+place])
	}
}

// weight returns the mask of a tap at a place.
func (d *deform[T]) weight(k, place int) T {
	if d.mask == nil {
		return 1
	}
	return d.mask[k*d.places+place]
}

// corner adds the contribution of one of the elements around a point.
func (d *deform[T]) corner(at []float64, corner int, weight T, col int) {
	src, f := 0, 1.0
	for i, v := range at {
		low := math.Floor(v)
		part := v - low
		if corner>>i&1 == 1 {
			low++
		} else {
			part = 1 - part
		}
		if !(low >= 0 && low < float64(d.win.In[i])) {
			return
		}
		src = src*d.win.In[i] + int(low)
		f *= part
	}
	if f == 0 {
		return
	}
	for c := 0; c*d.inSize < len(d.x); c++ {
		d.cols[c*d.taps*d.places+col] += T(weight * T(f) * d.x[c*d.inSize+src])
	}
}
