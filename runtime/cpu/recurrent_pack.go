package cpu

// PackGatesSize returns how many floats [PackGates] writes.
func PackGatesSize(directions, k int, rows ...int) int {
	size := 0
	for _, n := range rows {
		size += PackB32Size(k, n)
	}
	return directions * size
}

// PackGates packs the weights of a recurrent layer: for each direction one
// matrix after the other, each with so many rows of k, as [PackB32T] does.
func PackGates(dst, w []float32, directions, k int, rows ...int) {
	for range directions {
		for _, n := range rows {
			size := PackB32Size(k, n)
			PackB32T(dst[:size], w[:n*k], k, n)
			dst, w = dst[size:], w[n*k:]
		}
	}
}
