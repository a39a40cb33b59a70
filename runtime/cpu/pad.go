package cpu

// PadMode tells which values are outside of a padded tensor.
type PadMode int

// The modes of Pad.
const (
	PadConstant PadMode = iota
	PadEdge             // the nearest element
	PadReflect          // mirrored at the border elements
	PadWrap             // repeated
)

// Pad copies x, which has the given shape, into a larger tensor of the given size, before[k] elements from
// the start of axis k; negative numbers crop. The value is a single element, or nil for zero.
func Pad[T any](dst, x, value []T, shape, size, before []int, mode PadMode) {
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
	if mode != PadConstant && len(x) == 0 {
		fail("Pad", "shape %s has no elements to extend", listed(shape))
	}
	var step, index [maxRank]int
	strides(step[:], shape)
	last, inner := padRows(shape, size, before, mode)
	width := size[last] * inner
	for d := 0; d < len(dst); d += width {
		row, at, inside := dst[d:d+width], 0, true
		for k := range last {
			i := index[k] - before[k]
			if uint(i) >= uint(shape[k]) {
				if mode == PadConstant {
					inside = false
					break
				}
				i = padIndex(i, shape[k], mode)
			}
			at += i * step[k]
		}
		if inside {
			padRow(row, x[at:at+shape[last]*inner], v, before[last]*inner, mode)
		} else {
			fill(row, v)
		}
		stepIndex(index[:last], size)
	}
}

// padRows returns the axis whose elements are rows for padRow, and the size of an element. Last axes that are
// not padded are part of an element, if elements outside are all the same, or have one element.
func padRows(shape, size, before []int, mode PadMode) (last, inner int) {
	last, inner = len(shape)-1, 1
	for last > 0 && before[last] == 0 && size[last] == shape[last] && (mode == PadConstant || shape[last] == 1) {
		inner *= shape[last]
		last--
	}
	return last, inner
}

// padRow copies x to dst, before elements from its start.
func padRow[T any](dst, x []T, v T, before int, mode PadMode) {
	lo := min(max(before, 0), len(dst))
	hi := max(min(before+len(x), len(dst)), lo)
	if hi > lo {
		copy(dst[lo:hi], x[lo-before:])
	}
	if mode == PadConstant {
		fill(dst[:lo], v)
		fill(dst[hi:], v)
		return
	}
	for j := range lo {
		dst[j] = x[padIndex(j-before, len(x), mode)]
	}
	for j := hi; j < len(dst); j++ {
		dst[j] = x[padIndex(j-before, len(x), mode)]
	}
}

// padIndex returns the element, of n, that is used for an index outside.
func padIndex(i, n int, mode PadMode) int {
	switch {
	case mode == PadEdge:
		return min(max(i, 0), n-1)
	case mode == PadWrap:
		return cycle(i, n)
	case n == 1:
		return 0
	}
	i = cycle(i, 2*(n-1))
	return min(i, 2*(n-1)-i)
}

// cycle returns i modulo n.
func cycle(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// PadBefore returns the number of elements that a Pad of some axes adds before an axis.
func PadBefore(pads, axes []int, rank, axis int) int {
	if k := padOperand(axes, rank, axis); k >= 0 {
		return pads[k]
	}
	return 0
}

// PadSize returns the size of an axis of n elements after a Pad of some axes.
func PadSize(pads, axes []int, rank, axis, n int) int {
	k := padOperand(axes, rank, axis)
	if k < 0 {
		return n
	}
	a, b := pads[k], pads[k+len(axes)]
	if max(a, b) > maxExtent || min(a, b) < -maxExtent || n+a+b < 0 || n+a+b > maxExtent {
		fail("Pad", "cannot pad an axis of size %d by %d and %d", n, a, b)
	}
	return n + a + b
}

// padOperand returns the position of the operands for an axis, or -1.
func padOperand(axes []int, rank, axis int) int {
	for k, a := range axes {
		if wrap("Pad", a, rank) == axis {
			return k
		}
	}
	return -1
}
