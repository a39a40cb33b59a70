package cpu

import "math"

// ResizeCoord tells which position of the input corresponds to an element of the output.
type ResizeCoord int

// The coordinate transformations of Resize.
const (
	ResizeHalfPixel ResizeCoord = iota
	ResizeHalfPixelSymmetric
	ResizePytorchHalfPixel
	ResizeAlignCorners
	ResizeAsymmetric
	ResizeCrop
)

// ResizeFilter is the kind of interpolation between elements.
type ResizeFilter int

// The filters of Resize; the first five take the nearest element.
const (
	ResizeRoundPreferFloor ResizeFilter = iota
	ResizeRoundPreferCeil
	ResizeFloor
	ResizeCeil
	ResizeSimple // floor, or ceil where the axis shrinks: that of version 10
	ResizeLinear
	ResizeCubic
)

// ResizeLine is the parameters of resizing one axis.
type ResizeLine struct {
	In, Out   int // sizes of the axis
	Axis      int // its position among the scales
	Coord     ResizeCoord
	Filter    ResizeFilter
	CubicA    float64
	Antialias bool    // the filter is as wide as an element of the output
	Exclude   bool    // elements outside have no weight
	Value     float64 // of outputs outside, with ResizeCrop
}

// ResizeScales copies the given scales.
func ResizeScales(scale []float64, given []float32) {
	for i, s := range given {
		scale[i] = float64(s)
	}
}

// ResizeRatios computes scales from sizes.
func ResizeRatios(scale []float64, size, shape []int) {
	for i, n := range size {
		scale[i] = float64(n) / float64(shape[i])
	}
}

// ResizeKeep computes one scale for all axes: the smallest of those for the wanted sizes, or the largest.
func ResizeKeep(scale []float64, want, shape []int, largest bool) {
	fill(scale, keptScale(want, shape, largest))
}

func keptScale(want, shape []int, largest bool) float64 {
	s := math.Inf(1)
	if largest {
		s = 0
	}
	for i, n := range want {
		r := float64(n) / float64(shape[i])
		if largest {
			s = max(s, r)
		} else {
			s = min(s, r)
		}
	}
	return s
}

// ResizeKeptSize returns the size of axis i if all axes have one scale.
func ResizeKeptSize(want, shape []int, largest bool, i int) int {
	return resizeExtent(math.Floor(float64(keptScale(want, shape, largest)*float64(shape[i])) + 0.5))
}

// ResizeSize returns the size of an axis of n elements times scale i, rounded down. A scale with few binary digits is exact.
// Others stand for a decimal number, and the product is a float32: 10 times 0.7 are 7, although the float32 is below 0.7.
func ResizeSize(scales []float32, i, n int) int {
	s := scales[i]
	if p := float64(s) * 1024; p == math.Floor(p) {
		return resizeExtent(math.Floor(float64(s) * float64(n)))
	}
	return resizeExtent(math.Floor(float64(s * float32(n))))
}

func resizeExtent(n float64) int {
	if !(n >= 0 && n <= maxExtent) {
		fail("Resize", "an axis would have size %v", n)
	}
	return int(n)
}

// source returns the position in the input for element y. It returns false if the position is outside of the
// cropped part. Whether there is one element is asked of Out: scale·In may be 0.999…, or 1.6.
func (p *ResizeLine) source(y int, scales []float64, roi []float32) (x float64, ok bool) {
	at, scale, in := float64(y), scales[p.Axis], float64(p.In)
	out := float64(scale * in)
	switch p.Coord {
	case ResizeAlignCorners:
		if out == 1 {
			return 0, true
		}
		return at * (in - 1) / (out - 1), true
	case ResizeAsymmetric:
		return at / scale, true
	case ResizeCrop:
		start, end := float64(roi[p.Axis]), float64(roi[p.Axis+len(scales)])
		if p.Out == 1 {
			x = float64((end - start) * (in - 1) / 2)
		} else {
			x = at * (end - start) * (in - 1) / (out - 1)
		}
		x += float64(start * (in - 1))
		return x, x >= 0 && x <= in-1
	case ResizePytorchHalfPixel:
		if p.Out == 1 {
			return 0, true
		}
	case ResizeHalfPixelSymmetric:
		return float64(in/2*(1-float64(p.Out)/out)) + (at+0.5)/scale - 0.5, true
	}
	return (at+0.5)/scale - 0.5, true
}
