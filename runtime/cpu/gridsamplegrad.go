package cpu

import "math"

// GridSampleGrad is the gradient of [GridSample] by x, dx, and by the grid:
//
//	dx[place] += weight * dy                 // for each element around a point
//	dgrid[axis] = Σ dy * x[place] * weight'  // where weight' is its derivative along the axis
func GridSampleGrad[T Float](dx, dgrid, dy, x, grid []T, o GridShape) {
	clear(dx)
	clear(dgrid)
	plane, r := volume(o.In), len(o.In)
	var s sampler[T]
	s.init(o.In, o.Mode, o.Border, o.Align)
	for b := range o.Batches {
		src, out := x[b*o.Channels*plane:][:o.Channels*plane], dx[b*o.Channels*plane:][:o.Channels*plane]
		g := dy[b*o.Channels*o.Points:][:o.Channels*o.Points]
		for p := range o.Points {
			at := grid[(b*o.Points+p)*r:][:r]
			s.locate(at)
			for c := range o.Channels {
				for k, i := range s.place[:s.n] {
					out[c*plane+i] += T(s.weight[k] * g[c*o.Points+p])
				}
			}
			if o.Mode == SampleNearest {
				continue
			}
			for axis, n := range o.In {
				s.locateSlope(at, axis)
				var sum T
				for c := range o.Channels {
					for k, i := range s.place[:s.n] {
						sum += T(T(s.weight[k]*src[c*plane+i]) * g[c*o.Points+p])
					}
				}
				last := r - 1 - axis
				dgrid[(b*o.Points+p)*r+last] = T(sum * T(s.coordinateSlope(float64(at[last]), n)))
			}
		}
	}
}

// locateSlope is [sampler.locate] with the derivatives of the weights along one axis.
func (s *sampler[T]) locateSlope(at []T, along int) {
	s.n = 1
	s.place[0], s.weight[0] = 0, 1
	for axis, n := range s.in {
		x := s.coordinate(float64(at[len(at)-1-axis]), n)
		base := math.Floor(x)
		frac := x - base
		switch {
		case s.mode == SampleLinear && axis == along:
			s.spread(axis, int(base), 2, [4]float64{-1, 1})
		case s.mode == SampleLinear:
			s.spread(axis, int(base), 2, [4]float64{1 - frac, frac})
		case axis == along:
			s.spread(axis, int(base)-1, 4, cubicSlopes(frac))
		default:
			s.spread(axis, int(base)-1, 4, cubicWeights(frac))
		}
	}
}

// coordinateSlope is the derivative of [sampler.coordinate].
func (s *sampler[T]) coordinateSlope(at float64, n int) float64 {
	lo, hi, slope := -0.5, float64(n)-0.5, float64(n)/2
	x := (float64((at+1)*float64(n)) - 1) / 2
	if s.align {
		lo, hi, slope = 0, float64(n-1), float64(n-1)/2
		x = (at + 1) / 2 * float64(n-1)
	}
	switch {
	case s.border == BorderNearest && s.mode != SampleCubic && (x < 0 || x > float64(n-1)):
		return 0
	case s.border != BorderReflect || x >= lo && x <= hi:
		return slope
	case hi <= lo:
		return 0
	}
	if math.Mod(math.Abs(x-lo), 2*(hi-lo)) > hi-lo {
		slope = -slope
	}
	if x < lo {
		slope = -slope
	}
	return slope
}

// cubicSlopes returns the derivatives of [cubicWeights].
func cubicSlopes(frac float64) (w [4]float64) {
	const a = -0.75
	for i := range w {
		d := frac - float64(i-1)
		x := math.Abs(d)
		switch {
		case x <= 1:
			w[i] = float64((float64(3*(a+2)*x) - 2*(a+3)) * x)
		case x < 2:
			w[i] = float64(a * (float64((float64(3*x)-10)*x) + 8))
		}
		if d < 0 {
			w[i] = -w[i]
		}
	}
	return w
}
