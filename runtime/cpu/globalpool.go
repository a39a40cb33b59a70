package cpu

// GlobalAveragePool is
//
//	for i := range dst {
//		dst[i] = mean(x[i*n : (i+1)*n])
//	}
func GlobalAveragePool[T Float](dst, x []T, n int) {
	if d, ok := any(dst).([]float32); ok {
		x := any(x).([]float32)
		for i := range d {
			d[i] = VecSum32(x[i*n:(i+1)*n]) / float32(n)
		}
		return
	}
	for i := range dst {
		var sum T
		for _, v := range x[i*n : (i+1)*n] {
			sum += v
		}
		dst[i] = sum / T(n)
	}
}

// GlobalMaxPool is
//
//	for i := range dst {
//		dst[i] = max(x[i*n : (i+1)*n])
//	}
func GlobalMaxPool[T Float](dst, x []T, n int) {
	if d, ok := any(dst).([]float32); ok {
		x := any(x).([]float32)
		for i := range d {
			d[i] = VecReduceMax32(x[i*n : (i+1)*n])
		}
		return
	}
	least := lowest[T]()
	for i := range dst {
		top := least
		for _, v := range x[i*n : (i+1)*n] {
			top = max(top, v)
		}
		dst[i] = top
	}
}
