package cpu

import "math"

// Range is
//
//	for i := range dst {
//		dst[i] = start + i·delta
//	}
func Range[T Number](dst, start, delta []T) {
	s, d := start[0], delta[0]
	for i := range dst {
		dst[i] = s + T(T(i)*d)
	}
}

// RangeSize returns the number of steps of delta from start to before limit.
func RangeSize[T Number](start, limit, delta []T) int {
	s, l, d := start[0], limit[0], delta[0]
	if d == 0 {
		fail("Range", "delta is 0")
	}
	if T(1)/2 != 0 {
		n := math.Ceil((float64(l) - float64(s)) / float64(d))
		if math.IsNaN(n) || n > maxExtent {
			fail("Range", "from %v to %v by %v are too many elements", s, l, d)
		}
		return max(int(n), 0)
	}
	if d > 0 && l <= s || d < 0 && l >= s {
		return 0
	}
	var n uint64 // differences of integers wrap around to the right value
	if d > 0 {
		n = (uint64(l)-uint64(s)-1)/uint64(d) + 1
	} else {
		n = (uint64(s)-uint64(l)-1)/(-uint64(d)) + 1
	}
	if n > maxExtent {
		fail("Range", "from %v to %v by %v are too many elements", s, l, d)
	}
	return int(n)
}
