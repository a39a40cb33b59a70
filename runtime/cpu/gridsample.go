package cpu

import "math"

// SampleMode is the kind of interpolation between elements.
type SampleMode int

// The modes of GridSample.
const (
	SampleLinear SampleMode = iota
	SampleNearest
	SampleCubic
)

// BorderMode tells which values are outside of a sampled tensor.
type BorderMode int

// The padding modes of GridSample.
const (
	BorderZeros BorderMode = iota
	BorderNearest
	BorderReflect
)

// maxSampled is the maximum number of spatial axes of GridSample.
const maxSampled = 3

// GridShape is the sizes and the attributes of [GridSample].
type GridShape struct {
	Batches, Channels, Points int
	In                        []int // the spatial axes of x
	Mode                      SampleMode
	Border                    BorderMode
	Align                     bool // -1 and 1 are the centers of the first and last elements, not their edges
}

// GridSample interpolates x at the points of the grid, which are from -1 to 1 along each axis, with the last
// axis as the first coordinate. x is [batches, channels, in…], dst is [batches, channels, points], grid is
// [batches, points, len(in)].
func GridSample[T Float](dst, x, grid []T, o GridShape) {
	plane, r := volume(o.In), len(o.In)
	var s sampler[T]
	s.init(o.In, o.Mode, o.Border, o.Align)
	for b := range o.Batches {
		src, out := x[b*o.Channels*plane:][:o.Channels*plane], dst[b*o.Channels*o.Points:][:o.Channels*o.Points]
		for p := range o.Points {
			s.locate(grid[(b*o.Points+p)*r:][:r])
			for c := range o.Channels {
				sum := T(0)
				img := src[c*plane:][:plane]
				for k, at := range s.place[:s.n] {
					sum += T(s.weight[k] * img[at])
				}
				out[c*o.Points+p] = sum
			}
		}
	}
}

// sampler computes the elements around a point, and their weights.
type sampler[T Float] struct {
	in     []int
	step   [maxSampled]int
	mode   SampleMode
	border BorderMode
	align  bool

	n      int
	place  [64]int
	weight [64]T
}

func (s *sampler[T]) init(in []int, mode SampleMode, border BorderMode, align bool) {
	s.in, s.mode, s.border, s.align = in, mode, border, align
	strides(s.step[:], in)
}

// locate computes the elements around a point, whose coordinates are in the order of the grid.
func (s *sampler[T]) locate(at []T) {
	s.n = 1
	s.place[0], s.weight[0] = 0, 1
	for axis, n := range s.in {
		x := s.coordinate(float64(at[len(at)-1-axis]), n)
		base := math.Floor(x)
		frac := x - base
		switch s.mode {
		case SampleNearest:
			s.spread(axis, int(base), 1, [4]float64{1})
		case SampleLinear:
			s.spread(axis, int(base), 2, [4]float64{1 - frac, frac})
		default:
			s.spread(axis, int(base)-1, 4, cubicWeights(frac))
		}
	}
}

// spread multiplies the weights so far by those of n elements along one more axis.
func (s *sampler[T]) spread(axis, first, n int, w [4]float64) {
	have := s.n
	s.n = 0
	var place [64]int
	var weight [64]T
	for k := range have {
		for i := range n {
			at, ok := s.element(first+i, s.in[axis])
			if !ok || w[i] == 0 {
				continue
			}
			place[s.n] = s.place[k] + at*s.step[axis]
			weight[s.n] = s.weight[k] * T(w[i])
			s.n++
		}
	}
	copy(s.place[:s.n], place[:s.n])
	copy(s.weight[:s.n], weight[:s.n])
}

// coordinate returns the position of a coordinate from -1 to 1 among n elements.
func (s *sampler[T]) coordinate(at float64, n int) float64 {
	lo, hi := -0.5, float64(n)-0.5
	x := (float64((at+1)*float64(n)) - 1) / 2
	if s.align {
		lo, hi = 0, float64(n-1)
		x = (at + 1) / 2 * float64(n-1)
	}
	if s.mode == SampleNearest {
		x = math.RoundToEven(x)
	}
	if !(x >= -maxExtent && x <= maxExtent) { // far outside, or NaN
		x = -maxExtent
	}
	switch {
	case x >= lo && x <= hi:
	case s.border == BorderReflect:
		x = reflect(x, lo, hi)
	case s.border == BorderNearest && s.mode != SampleCubic: // each element around x is moved inside separately
		x = min(max(x, 0), float64(n-1))
	}
	return x
}

// element returns the element that is used for element i of n, if there is one.
func (s *sampler[T]) element(i, n int) (int, bool) {
	if uint(i) < uint(n) {
		return i, true
	}
	if n == 0 || s.border == BorderZeros {
		return 0, false
	}
	if s.border == BorderReflect {
		if s.align {
			i = int(reflect(float64(i), 0, float64(n-1)))
		} else {
			i = int(reflect(float64(i), -0.5, float64(n)-0.5))
		}
	}
	return min(max(i, 0), n-1), true
}

// reflect mirrors x at lo and hi until it is between them.
func reflect(x, lo, hi float64) float64 {
	span := hi - lo
	if span <= 0 {
		return lo
	}
	x = math.Mod(math.Abs(x-lo), 2*span)
	return lo + min(x, float64(2*span)-x)
}

// cubicWeights returns the weights of the four elements around a point at distance frac after the second.
func cubicWeights(frac float64) (w [4]float64) {
	p := ResizeLine{Filter: ResizeCubic, CubicA: -0.75}
	for i := range w {
		w[i] = p.filter(float64(i-1) - frac)
	}
	return w
}
