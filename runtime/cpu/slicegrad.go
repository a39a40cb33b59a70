package cpu

// SliceGrad is the inverse of [Slice]: it copies dy, which has the given size, to its original place among
// zeros. The operands are those of the Slice, whose input had the given shape.
func SliceGrad[T Float](dst, dy []T, shape, size, starts, axes, steps []int) {
	clear(dst)
	if len(dy) == 0 {
		return
	}
	if len(shape) == 0 {
		copy(dst, dy)
		return
	}
	var xs, by, index [maxRank]int
	strides(xs[:], shape)
	from := 0
	for i, n := range shape {
		from += SliceStart(starts, axes, steps, len(shape), i, n) * xs[i]
		by[i] = SliceStep(axes, steps, len(shape), i) * xs[i]
	}
	last := len(size) - 1
	row, step := size[last], by[last]
	for ; len(dy) > 0; dy = dy[row:] {
		at := from
		for i, k := range index[:last] {
			at += k * by[i]
		}
		if step == 1 {
			copy(dst[at:], dy[:row])
		} else {
			for j, v := range dy[:row] {
				dst[at+j*step] = v
			}
		}
		stepIndex(index[:last], size)
	}
}
