package cpu

import "math"

// Length returns the size in an operand, which must be at least 1.
func Length[T Index](v []T) int {
	if v[0] < 1 || v[0] > 1<<31-1 {
		fail("Length", "length is %d, want at least 1", v[0])
	}
	return int(v[0])
}

// toInt converts v to an int. If an int has 32 bits, it is the nearest one, which is not a valid index
// either.
func toInt[I Index](v I) int {
	switch n := int(v); {
	case int64(n) == int64(v):
		return n
	case v < 0:
		return math.MinInt
	default:
		return math.MaxInt
	}
}
