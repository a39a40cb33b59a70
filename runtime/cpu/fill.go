package cpu

// fill is
//
//	for i := range dst {
//		dst[i] = v
//	}
func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// fillRun is [fill], by copying.
func fillRun[T byte | float32](dst []T, v T) {
	if len(dst) == 0 {
		return
	}
	dst[0] = v
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// Fill is
//
//	for i := range dst {
//		dst[i] = T(v)
//	}
func Fill[T Number](dst []T, v float64) { fill(dst, T(v)) }
