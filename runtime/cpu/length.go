package cpu

// Length is the size that an operand asks for, which must be at least 1.
func Length[T Index](v []T) int {
	if v[0] < 1 || v[0] > 1<<31-1 {
		fail("Length", "length is %d, want at least 1", v[0])
	}
	return int(v[0])
}
