package cpu

// Tile repeats x, which has the given shape, along each axis.
//
//	dst[i, j] = x[i % shape[0], j % shape[1]]
func Tile[T any](dst, x []T, shape, repeats []int) {
	var step [maxRank]int
	strides(step[:], shape)
	var s nest
	out := len(dst)
	for i, n := range shape {
		if n == 0 || repeats[i] == 0 {
			return
		}
		out /= repeats[i]
		s.add(repeats[i], out, 0)
		out /= n
		s.add(n, out, step[i])
	}
	copyNest(dst, x, &s, 0, 0)
}
