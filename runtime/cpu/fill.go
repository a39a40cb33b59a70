package cpu

// fill is
//
//	for i := range dst {
//		dst[i] = v
//	}
//
// by copying the filled part, as soon as that is faster.
func fill[T any](dst []T, v T) {
	const first = 32
	n := min(first, len(dst))
	for i := range dst[:n] {
		dst[i] = v
	}
	for ; n > 0 && n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// Fill is
//
//	for i := range dst {
//		dst[i] = T(v)
//	}
func Fill[T Number](dst []T, v float64) { fill(dst, fromFloat[T](v)) }
