package cpu

import "math"

// DeformSampleGrad is the gradient of [DeformSample] by x, by the offsets and by
// the mask, which may be nil with its gradient:
//
//	dx[at] += dy * mask * f          // for each element around a point
//	dmask = Σ dy * x[at] * f
//	doffset[axis] = Σ dy * x[at] * mask * f'
//
// where f is the weight of the element in the interpolation, and f' its derivative along the axis.
func DeformSampleGrad[T Float](dx, doffset, dmask, dy, x, offset, mask []T, s DeformShape) {
	clear(dx)
	clear(doffset)
	clear(dmask)
	d := newDeform[T](s.Window, s.Channels, s.OffsetGroups)
	rank, taps := len(s.Window.In), d.taps*d.places
	var at [maxRank]float64
	for i := range s.Images * s.OffsetGroups {
		d.group(x, offset, mask, i)
		d.cols = row(dy, i, d.shared*taps)
		back := deformGrad[T]{deform: &d, dx: row(dx, i, d.shared*d.inSize), doffset: row(doffset, i, rank*taps)}
		if mask != nil {
			back.dmask = row(dmask, i, taps)
		}
		for k := range d.taps {
			for p := range d.places {
				d.locate(at[:rank], k, p)
				for corner := range 1 << rank {
					back.corner(at[:rank], corner, k, p)
				}
			}
		}
	}
}

// deformGrad computes the gradients of one offset group, whose columns are dy.
type deformGrad[T Float] struct {
	*deform[T]
	dx, doffset, dmask []T
}

// corner adds the gradients for one of the elements around a point.
func (d *deformGrad[T]) corner(at []float64, corner, k, place int) {
	src, f := 0, 1.0
	var slope [maxRank]float64
	for i := range at {
		slope[i] = 1
	}
	for i, v := range at {
		low := math.Floor(v)
		part, by := v-low, 1.0
		if corner>>i&1 == 1 {
			low++
		} else {
			part, by = 1-part, -1
		}
		if !(low >= 0 && low < float64(d.win.In[i])) {
			return
		}
		src = src*d.win.In[i] + int(low)
		f *= part
		for j := range at {
			if j == i {
				slope[j] *= by
			} else {
				slope[j] *= part
			}
		}
	}
	weight, col := d.weight(k, place), k*d.places+place
	var sum T
	for c := range d.shared {
		g := d.cols[c*d.taps*d.places+col]
		d.dx[c*d.inSize+src] += T(g * weight * T(f))
		sum += T(g * d.x[c*d.inSize+src])
	}
	if d.dmask != nil {
		d.dmask[col] += T(sum * T(f))
	}
	for i := range at {
		d.doffset[(k*len(at)+i)*d.places+place] += T(sum * weight * T(slope[i]))
	}
}
