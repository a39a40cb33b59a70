package cpu

// Slice takes every step-th element from start on along each axis; size is the
// shape of dst.
//
//	dst[i, j] = x[start[0]+i·step[0], start[1]+j·step[1]]
func Slice[T any](dst, x []T, shape, size, start, step []int) {
	var xs [maxRank]int
	strides(xs[:], shape)
	var s nest
	from, out := 0, len(dst)
	for i, n := range size {
		if n == 0 {
			return
		}
		out /= n
		s.add(n, out, xs[i]*step[i])
		from += start[i] * xs[i]
	}
	copyNest(dst, x, &s, 0, from)
}

// SliceStart returns where a Slice begins along an axis of n elements. Axes that are not in axes are taken
// whole.
func SliceStart(starts, axes, steps []int, rank, axis, n int) int {
	k := sliceOperand(axes, rank, axis)
	if k < 0 {
		return 0
	}
	return sliceClamp(starts[k], n, steps[k])
}

// SliceStep returns the step of a Slice along an axis.
func SliceStep(axes, steps []int, rank, axis int) int {
	k := sliceOperand(axes, rank, axis)
	if k < 0 {
		return 1
	}
	return steps[k]
}

// SliceSize returns the number of elements that a Slice takes of an axis of n.
func SliceSize(starts, ends, axes, steps []int, rank, axis, n int) int {
	k := sliceOperand(axes, rank, axis)
	if k < 0 {
		return n
	}
	from, to, step := sliceClamp(starts[k], n, steps[k]), ends[k], steps[k]
	if to < 0 {
		to += n
	}
	if step > 0 {
		if to = min(to, n); to <= from {
			return 0
		}
		return (to-from-1)/step + 1
	}
	if to = max(to, -1); to >= from {
		return 0
	}
	return (from-to-1)/-step + 1
}

// sliceOperand returns the position of the operands for an axis, or -1.
func sliceOperand(axes []int, rank, axis int) int {
	for k, a := range axes {
		if a == axis || a == axis-rank {
			return k
		}
		if a < -rank || a >= rank {
			failAxis("Slice", a, rank)
		}
	}
	return -1
}

func sliceClamp(start, n, step int) int {
	if step == 0 {
		fail("Slice", "step is 0")
	}
	if start < 0 {
		start += n
	}
	if step < 0 {
		return min(max(start, 0), n-1)
	}
	return min(max(start, 0), n)
}
