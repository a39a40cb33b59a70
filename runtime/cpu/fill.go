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

// Fill is
//
//	for i := range dst {
//		dst[i] = T(v)
//	}
func Fill[T Number](dst []T, v float64) { fill(dst, T(v)) }
