package cpu

// AffineGrid maps the points of a regular grid from -1 to 1 along each axis by affine maps. theta is
// [batches, r, r+1], dst is [batches, size…, r]. The last axis is the first coordinate.
func AffineGrid[T Float](dst, theta []T, batches int, size []int, align bool) {
	r := len(size)
	var index [maxRank]int
	var at [maxRank + 1]T
	at[r] = 1
	for b := range batches {
		m := theta[b*r*(r+1):][:r*(r+1)]
		clear(index[:r])
		for range volume(size) {
			for k, n := range size {
				at[r-1-k] = gridPoint[T](index[k], n, align)
			}
			for i := range r {
				sum := T(0)
				for j, v := range m[i*(r+1):][:r+1] {
					sum += T(v * at[j])
				}
				dst[i] = sum
			}
			dst = dst[r:]
			stepIndex(index[:r], size)
		}
	}
}

// gridPoint returns point i of n between -1 and 1. With align the first and the last point are the ends,
// otherwise the points are the centers of n equal parts.
func gridPoint[T Float](i, n int, align bool) T {
	switch {
	case !align:
		return T((float64(2*i)+1)/float64(n) - 1)
	case n == 1:
		return -1
	}
	return T(float64(2*i)/float64(n-1) - 1)
}
