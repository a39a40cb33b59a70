package cpu

import "math"

// ResizeWeights writes for each element of an axis of the output the first
// element of the input that it depends on, -1 if none, and the weights of that
// and the next ones.
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

// weigh writes the weights of the elements around x and returns the first of
// these elements. What is outside adds to the elements at the border.
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

// filter is the weight of an element at distance x.
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

// width is the distance of input elements in terms of the filter.
func (p *ResizeLine) width(scale []float64) float64 {
	if p.Antialias {
		return min(scale[p.Axis], 1)
	}
	return 1
}

// reach is how many input elements before and after a place the filter covers.
func (p *ResizeLine) reach(width float64) int {
	half := 1.0
	if p.Filter == ResizeCubic {
		half = 2
	}
	return int(min(math.Ceil(half/width), maxExtent))
}

// taps is how many weights an element of the output has.
func (p *ResizeLine) taps(width float64) int { return min(2*p.reach(width), p.In) }

// ResizeAxis resizes the middle one of three axes with weights that
// [ResizeWeights] made. The value stands for elements that depend on none.
//
//	dst[o, y, i] = Σk weights[y, k]·x[o, first[y]+k, i]
func ResizeAxis[T Float](dst, x, weights []T, first []int64, scale []float64, p ResizeLine, value float64, outer, inner int) {
	n := p.taps(p.width(scale))
	for o := range outer {
		src := x[o*p.In*inner:][:p.In*inner]
		if inner == 1 && n == 2 {
			weightedPairs(dst[o*p.Out:][:p.Out], src, weights, first, T(value))
			continue
		}
		for y := range p.Out {
			out, w := dst[(o*p.Out+y)*inner:][:inner], weights[y*n:][:n]
			at := int(first[y])
			switch {
			case at < 0:
				fill(out, T(value))
			case inner == 1:
				sum := T(0)
				for k, v := range src[at : at+n] {
					sum += T(w[k] * v)
				}
				out[0] = sum
			default:
				weightedRows(out, src[at*inner:], w)
			}
		}
	}
}

// weightedPairs is [ResizeAxis] for an element that depends on two neighbours of
// a line.
func weightedPairs[T Float](dst, x, weights []T, first []int64, value T) {
	first, weights = first[:len(dst)], weights[:2*len(dst)]
	for y := range dst {
		at := int(first[y])
		if at < 0 {
			dst[y] = value
			continue
		}
		dst[y] = T(weights[2*y]*x[at]) + T(weights[2*y+1]*x[at+1])
	}
}

// weightedRows is the sum of the rows of x, each times its weight.
func weightedRows[T Float](dst, x, weights []T) {
	if d, ok := any(dst).([]float32); ok && len(weights) > 0 {
		rows, w, n := any(x).([]float32), any(weights).([]float32), len(dst)
		VecMulS32(d, rows[:n], w[0])
		for k := 1; k < len(w); k++ {
			VecAxpy32(d, rows[k*n:][:n], w[k])
		}
		return
	}
	if len(weights) == 2 {
		a, b := x[:len(dst)], x[len(dst):][:len(dst)]
		u, v := weights[0], weights[1]
		for i := range dst {
			dst[i] = T(u*a[i]) + T(v*b[i])
		}
		return
	}
	clear(dst)
	for k, w := range weights {
		for i, v := range x[k*len(dst):][:len(dst)] {
			dst[i] += T(w * v)
		}
	}
}
