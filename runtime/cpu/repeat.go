package cpu

// repeatGo is
//
//	for i, v := range x {
//		for j := range n {
//			dst[i*n+j] = v
//		}
//	}
func repeatGo(dst, x []float32, n int) {
	for i, v := range x {
		d := row(dst, i, n)
		for j := range d {
			d[j] = v
		}
	}
}
