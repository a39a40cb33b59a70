package cpu

import "math"

// ResizeWeights writes, for each element of an axis of the output, the first element of the input on which it
// depends, or -1, and the weights of that and the next ones.
func ResizeWeights[T Float](weights []T, first []int64, scale []float64, roi []float32, p ResizeLine) {
	width := p.width(scale)
	n := p.taps(width)
	if p.In == 0 || p.reach(width) > 4*p.In+4 || n*p.Out > len(weights) {
		fail("Resize", "cannot scale an axis of size %d to %d by %v", p.In, p.Out, scale[p.Axis])
	}
	for y := range p.Out {
		x, ok := p.source(y, scale, roi)
		if !ok {
			first[y] = -1
			continue
		}
		x = min(max(x, -maxExtent), maxExtent)
		if x != x {
			fail("Resize", "an element of an axis of size %d shows nothing", p.Out)
		}
		first[y] = int64(weigh(weights[y*n:][:n], &p, x, width))
	}
}

// weigh writes the weights of the elements around x and returns the first of these elements. Weights of
// elements outside are added to those at the border.
func weigh[T Float](w []T, p *ResizeLine, x, width float64) int {
	base := math.Floor(x)
	frac, reach := x-base, p.reach(width)
	total := 0.0
	for i := 1 - reach; i <= reach; i++ {
		if at := int(base) + i; !p.Exclude || at >= 0 && at < p.In {
			total += p.filter((float64(i) - frac) * width)
		}
	}
	if total == 0 {
		total = 1
	}
	clear(w)
	first := min(max(int(base)+1-reach, 0), p.In-len(w))
	for i := 1 - reach; i <= reach; i++ {
		if at := int(base) + i; !p.Exclude || at >= 0 && at < p.In {
			at = min(max(at, 0), p.In-1)
			if k := at - first; k >= 0 && k < len(w) {
				w[k] += T(p.filter((float64(i)-frac)*width) / total)
			}
		}
	}
	return first
}

// filter returns the weight of an element at distance x.
func (p *ResizeLine) filter(x float64) float64 {
	x = math.Abs(x)
	a := p.CubicA
	switch {
	case p.Filter != ResizeCubic:
		return max(1-x, 0)
	case x <= 1:
		return float64((float64((a+2)*x)-(a+3))*x*x) + 1
	case x < 2:
		return float64(a * (float64((float64(x*x)-float64(5*x)+8)*x) - 4))
	}
	return 0
}

// width returns the distance of input elements in units of the filter.
func (p *ResizeLine) width(scale []float64) float64 {
	if p.Antialias {
		return min(scale[p.Axis], 1)
	}
	return 1
}

// reach returns the number of input elements on each side of a position that the filter covers.
func (p *ResizeLine) reach(width float64) int {
	half := 1.0
	if p.Filter == ResizeCubic {
		half = 2
	}
	return int(min(math.Ceil(half/width), maxExtent))
}

// taps returns the number of weights of an element of the output.
func (p *ResizeLine) taps(width float64) int { return min(2*p.reach(width), p.In) }

// ResizeAxis resizes the middle one of three axes with the weights of [ResizeWeights]. Elements that depend
// on none are the value of the parameters.
//
//	dst[o, y, i] = Σk weights[y, k]·x[o, first[y]+k, i]
func ResizeAxis[T Float](dst, x, weights []T, first []int64, scale []float64, p ResizeLine, outer, inner int) {
	n := p.taps(p.width(scale))
	if d, ok := any(dst).([]float32); ok {
		resizeAxis32(d, any(x).([]float32), any(weights).([]float32), first, p, outer, inner, n)
		return
	}
	for o := range outer {
		resizeLines(dst[o*p.Out*inner:][:p.Out*inner], x[o*p.In*inner:][:p.In*inner], weights, first[:p.Out], p.Value, inner, n)
	}
}

// resizeLines is [ResizeAxis] for some elements of the axis and one of the outer axis.
func resizeLines[T Float](dst, x, weights []T, first []int64, value float64, inner, n int) {
	for y, at := range first {
		out, w := dst[y*inner:][:inner], weights[y*n:][:n]
		switch {
		case at < 0:
			fill(out, T(value))
		case inner == 1:
			sum := T(0)
			for k, v := range x[at : int(at)+n] {
				sum += T(w[k] * v)
			}
			out[0] = sum
		default:
			weightedRows(out, x[int(at)*inner:], w)
		}
	}
}

// weightedRows is the sum of the rows of x, each times its weight.
func weightedRows[T Float](dst, x, weights []T) {
	clear(dst)
	for k, w := range weights {
		for i, v := range x[k*len(dst):][:len(dst)] {
			dst[i] += T(w * v)
		}
	}
}
