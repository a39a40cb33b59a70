package cpu

// ResizeNearestGrad is the gradient of [ResizeNearest]: each element of dy, whose shape is size, is added to
// the element of dst, of the given shape, of which it is a copy.
func ResizeNearestGrad[T Float](dst, dy []T, index []int64, shape, size []int) {
	clear(dst)
	if len(dy) == 0 || len(shape) == 0 {
		copy(dst, dy)
		return
	}
	var step, begin, turn [maxRank]int
	strides(step[:], shape)
	for k := 1; k < len(size); k++ {
		begin[k] = begin[k-1] + size[k-1]
	}
	last := len(shape) - 1
	columns := index[begin[last]:][:size[last]]
	for ; len(dy) > 0; dy = dy[size[last]:] {
		at := 0
		for k := range last {
			i := int(index[begin[k]+turn[k]])
			if i < 0 {
				at = -1
				break
			}
			at += i * step[k]
		}
		if at >= 0 {
			for j, i := range columns {
				if i >= 0 {
					dst[at+int(i)] += dy[j]
				}
			}
		}
		stepIndex(turn[:last], size)
	}
}

// ResizeAxisGrad is the gradient of [ResizeAxis]:
//
//	dst[o, first[y]+k, i] += weights[y, k]·dy[o, y, i]
func ResizeAxisGrad[T Float](dst, dy, weights []T, first []int64, scale []float64, p ResizeLine, outer, inner int) {
	clear(dst)
	n := p.taps(p.width(scale))
	for o := range outer {
		d := dst[o*p.In*inner:][:p.In*inner]
		for y := range p.Out {
			at := int(first[y])
			if at < 0 {
				continue
			}
			g := dy[(o*p.Out+y)*inner:][:inner]
			for k, w := range weights[y*n:][:n] {
				row := d[(at+k)*inner:][:inner]
				for i, v := range g {
					row[i] += T(w * v)
				}
			}
		}
	}
}
