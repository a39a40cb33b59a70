package cpu

// Expand repeats the axes of x that have one element; shape is that of dst,
// old that of x.
func Expand[T any](dst, x []T, shape, old []int) {
	if len(dst) == 0 {
		return
	}
	var step [maxRank]int
	broadcastStrides(step[:], shape, old)
	var s nest
	out := len(dst)
	for i, n := range shape {
		out /= n
		s.add(n, out, step[i])
	}
	copyNest(dst, x, &s, 0, 0)
}

// ExpandSize returns the size to which axes of n and of want elements broadcast.
func ExpandSize(want []int, n int) int {
	w := Extent(want, "Expand")
	if n != w && n != 1 && w != 1 {
		fail("Expand", "an axis of %d elements does not broadcast to %d", n, w)
	}
	if n == 1 {
		return w
	}
	return n
}
