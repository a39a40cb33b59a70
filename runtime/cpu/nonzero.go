package cpu

// NonZeroCount returns the number of elements of x that are not zero (or not false).
func NonZeroCount[T comparable](x []T) int {
	var zero T
	n := 0
	for _, v := range x {
		if v != zero {
			n++
		}
	}
	return n
}

// NonZero writes the indices of the elements of x that are not zero: dst is
// [rank, count], a row for each axis.
func NonZero[T comparable](dst []int64, x []T, shape []int) {
	if len(shape) == 0 {
		return
	}
	var zero T
	n := len(dst) / len(shape)
	k := 0
	for i, v := range x {
		if v == zero {
			continue
		}
		for axis, rest := len(shape)-1, i; axis >= 0; axis-- {
			dst[axis*n+k] = int64(rest % shape[axis])
			rest /= shape[axis]
		}
		k++
	}
}
