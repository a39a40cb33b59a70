package cpu

import "math"

// ResizeIndex writes, for each element of an axis of the output, the index of its element of the input, or
// -1, to index[at:].
func ResizeIndex(index []int64, at int, scale []float64, roi []float32, p ResizeLine) {
	for y := range p.Out {
		x, ok := p.source(y, scale, roi)
		i := int64(-1)
		if ok && p.In > 0 {
			i = int64(min(max(p.nearest(x, scale[p.Axis]), 0), float64(p.In-1)))
		}
		index[at+y] = i
	}
}

func (p *ResizeLine) nearest(x, scale float64) float64 {
	switch {
	case p.Filter == ResizeRoundPreferFloor:
		return math.Ceil(x - 0.5)
	case p.Filter == ResizeRoundPreferCeil:
		return math.Floor(x + 0.5)
	case p.Filter == ResizeFloor, p.Filter == ResizeSimple && scale >= 1:
		return math.Floor(x)
	}
	return math.Ceil(x)
}

// ResizeNearest copies elements by their indices along each axis, which follow one another in index. shape is
// that of x, size that of dst. Where an index is -1 the element is the value: a single element, or nil for
// zero.
func ResizeNearest[T any](dst, x []T, value []T, index []int64, shape, size []int) {
	if len(dst) == 0 {
		return
	}
	var v T
	if len(value) > 0 {
		v = value[0]
	}
	if len(shape) == 0 {
		copy(dst, x)
		return
	}
	var step, begin, turn [maxRank]int
	strides(step[:], shape)
	for k := 1; k < len(size); k++ {
		begin[k] = begin[k-1] + size[k-1]
	}
	last := len(shape) - 1
	columns := index[begin[last]:]
	columns = columns[:size[last]]
	before := -1 // the row from which the previous row was copied
	for d := 0; d < len(dst); d += size[last] {
		row, at := dst[d:d+size[last]], 0
		for k := range last {
			i := int(index[begin[k]+turn[k]])
			if i < 0 {
				at = -1
				break
			}
			at += i * step[k]
		}
		switch {
		case at < 0:
			fill(row, v)
		case at == before:
			copy(row, dst[d-size[last]:d])
		default:
			pick(row, x[at:at+shape[last]], columns, v)
		}
		before = at
		stepIndex(turn[:last], size)
	}
}

func pick[T any](dst, x []T, index []int64, v T) {
	for j, i := range index {
		if i < 0 {
			dst[j] = v
			continue
		}
		dst[j] = x[i]
	}
}

// ResizeSame is [ResizeIndex] for an axis of n elements that does not change.
func ResizeSame(index []int64, at, n int) {
	for i := range n {
		index[at+i] = int64(i)
	}
}
