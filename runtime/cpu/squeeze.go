package cpu

// SqueezeSize returns the size of an axis after a Squeeze of the given axes.
func SqueezeSize(shape, axes []int, axis int) int {
	dropped := marked("Squeeze", axes, len(shape))
	for i, n := range shape {
		switch {
		case dropped>>i&1 == 0:
			if axis == 0 {
				return n
			}
			axis--
		case n != 1:
			fail("Squeeze", "axis %d has size %d, want 1", i, n)
		}
	}
	fail("Squeeze", "axes %v name an axis twice", axes)
	return 0
}

// UnsqueezeSize returns the size of an axis after an Unsqueeze of the given axes.
func UnsqueezeSize(shape, axes []int, axis int) int {
	added := marked("Unsqueeze", axes, len(shape)+len(axes))
	k := 0
	for i := range len(shape) + len(axes) {
		n := 1
		if added>>i&1 == 0 {
			if k == len(shape) {
				fail("Unsqueeze", "axes %v name an axis twice", axes)
			}
			n = shape[k]
			k++
		}
		if i == axis {
			return n
		}
	}
	return 1
}

// marked returns the set of axes as bits.
func marked(kernel string, axes []int, rank int) uint64 {
	var set uint64
	for _, a := range axes {
		set |= 1 << wrap(kernel, a, rank)
	}
	return set
}
