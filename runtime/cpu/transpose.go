package cpu

// Transpose reorders axes: axis i of dst is axis perm[i] of x, which has the
// given shape.
//
//	dst[i, j, k] = x[j, k, i]   for perm = 2, 0, 1
func Transpose[T any](dst, x []T, shape, perm []int) {
	var step [maxRank]int
	strides(step[:], shape)
	var s nest
	out := len(dst)
	for _, axis := range perm {
		if shape[axis] == 0 {
			return
		}
		out /= shape[axis]
		s.add(shape[axis], out, step[axis])
	}
	copyNest(dst, x, &s, 0, 0)
}

// strides computes the step of each axis of a tensor of the given shape.
func strides(step, shape []int) {
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		step[i] = n
		n *= shape[i]
	}
}
