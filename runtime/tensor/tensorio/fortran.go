package tensorio

// rowMajor returns a row-major copy of src, elements of size bytes in column-major (Fortran) order.
func rowMajor(src []byte, shape []int, size int) []byte {
	stride, step := make([]int, len(shape)), size // in bytes of src
	for i, d := range shape {
		stride[i] = step
		step *= d
	}
	dst, index, at := make([]byte, 0, len(src)), make([]int, len(shape)), 0
	for len(dst) < len(src) {
		dst = append(dst, src[at:at+size]...)
		for i := len(shape) - 1; i >= 0; i-- { // next element: the last index runs fastest
			index[i]++
			at += stride[i]
			if index[i] < shape[i] {
				break
			}
			at -= index[i] * stride[i]
			index[i] = 0
		}
	}
	return dst
}
