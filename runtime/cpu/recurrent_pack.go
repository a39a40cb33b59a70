package cpu

// PackGatesSize returns how many floats [PackGates] writes.
func PackGatesSize(directions, k int, rows ...int) int {
	size := 0
	for _, n := range rows {
		size += PackB32Size(k, n)
	}
	return directions * size
}

// PackGates packs the weights of a recurrent layer like [PackB32T]. For each direction there are several
// matrices with the given numbers of rows of k.
func PackGates(dst, w []float32, directions, k int, rows ...int) {
	for range directions {
		for _, n := range rows {
			size := PackB32Size(k, n)
			PackB32T(dst[:size], w[:n*k], k, n)
			dst, w = dst[size:], w[n*k:]
		}
	}
}
