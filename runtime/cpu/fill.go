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
