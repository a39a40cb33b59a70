package cpu

import "math"

// Length is the size that an operand asks for, which must be at least 1.
func Length[T Index](v []T) int {
	if v[0] < 1 || v[0] > 1<<31-1 {
		fail("Length", "length is %d, want at least 1", v[0])
	}
	return int(v[0])
}

// toInt is v as an int. Where an int has 32 bits, it is the nearest one, which is no index of anything either.
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
