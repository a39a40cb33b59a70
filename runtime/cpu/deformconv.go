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
// where x is interpolated linearly between its elements and zero outside.
// Channels share offsets and masks by offset groups. A nil mask is one, a nil
// bias zero. There must be room in cols for an element for each channel, tap
// and place.
func DeformConv[T Float](dst, x, w, offset, bias, mask, cols []T, images, channels, filters, groups, offsetGroups int, win Window) {
	if len(dst) == 0 {
		return
	}
	d := deform[T]{win: win, taps: 1, places: 1, inSize: 1}
	for i := range win.In {
		d.taps *= win.Kernel[i]
		d.places *= win.Out[i]
		d.inSize *= win.In[i]
	}
	depth, rows, shared := channels/groups, filters/groups, channels/offsetGroups
	taps := d.taps * d.places
	for n := range images {
		for g := range offsetGroups {
			i := n*offsetGroups + g
			d.x = x[i*shared*d.inSize:][:shared*d.inSize]
			d.cols = cols[g*shared*taps:][:shared*taps]
			d.offset = offset[i*taps*len(win.In):]
			if mask != nil {
				d.mask = mask[i*taps:]
			}
			d.sample()
		}
		for g := range groups {
			out := dst[(n*filters+g*rows)*d.places:][:rows*d.places]
			wg := w[g*rows*depth*d.taps:][:rows*depth*d.taps]
			Gemm(out, wg, cols[g*depth*taps:][:depth*taps], nil, rows, depth*d.taps, d.places, false, false, 1, 0, nil)
			for m := range rows {
				if bias != nil {
					row := out[m*d.places:][:d.places]
					Add(row, row, bias[g*rows+m:][:1])
				}
			}
		}
	}
}

// deform fills the columns of one offset group.
type deform[T Float] struct {
	win                   Window
	taps, places, inSize  int
	x, cols, offset, mask []T
}

func (d *deform[T]) sample() {
	clear(d.cols)
	var base [maxRank]int
	var at [maxRank]float64
	rank := len(d.win.In)
	for k := range d.taps {
		for p := range d.places {
			for i, tap, o := rank-1, k, p; i >= 0; i-- {
				base[i] = o%d.win.Out[i]*d.win.Stride[i] + tap%d.win.Kernel[i]*d.win.Dilation[i] - d.win.Pad[i]
				tap /= d.win.Kernel[i]
				o /= d.win.Out[i]
				at[i] = float64(base[i]) + float64(d.offset[(k*rank+i)*d.places+p])
			}
			weight := T(1)
			if d.mask != nil {
				weight = d.mask[k*d.places+p]
			}
			for corner := range 1 << rank {
				d.corner(at[:rank], corner, weight, k*d.places+p)
			}
		}
	}
}

// corner adds what one of the elements around a point contributes.
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
