package cpu

// copyRowsGo is
//
//	for r := range rows {
//		copy(dst[r*ldd:][:n], src[r*lds:])
//	}
func copyRowsGo(dst, src []float32, n, rows, ldd, lds int) {
	for r := range rows {
		copy(dst[r*ldd:][:n], src[r*lds:][:n])
	}
}
