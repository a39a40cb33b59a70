package cpu

// Relu is
//
//	for i, v := range x {
//		dst[i] = max(v, 0)
//	}
func Relu[T Number](dst, x []T) {
	if d, ok := any(dst).([]float32); ok {
		vec1(VecRelu32, d, any(x).([]float32))
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = max(v, 0)
	}
}
