package cpu

// Relu is
//
//	for i, v := range x {
//		dst[i] = max(v, 0)
//	}
func Relu[T Number](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = max(v, 0)
	}
}
