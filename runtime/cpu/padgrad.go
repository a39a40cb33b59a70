package cpu

// PadGrad is the gradient of [Pad] in a mode that repeats elements: each element of dy, which has the given
// size, is added to the element of dst, of the given shape, of which it is a copy. pads and axes are those of
// the Pad.
func PadGrad[T Float](dst, dy []T, shape, size, pads, axes []int, mode PadMode) {
	clear(dst)
	if len(dy) == 0 || len(dst) == 0 {
		return
	}
	if len(shape) == 0 {
		copy(dst, dy)
		return
	}
	var step, index, before [maxRank]int
	strides(step[:], shape)
	for k := range shape {
		before[k] = PadBefore(pads, axes, len(shape), k)
	}
	last := len(shape) - 1
	for ; len(dy) > 0; dy = dy[size[last]:] {
		at := 0
		for k := range last {
			at += padIndex(index[k]-before[k], shape[k], mode) * step[k]
		}
		row := dst[at:][:shape[last]]
		for j, v := range dy[:size[last]] {
			row[padIndex(j-before[last], len(row), mode)] += v
		}
		stepIndex(index[:last], size)
	}
}
