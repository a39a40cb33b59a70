package cpu

// copyRowsGo is
//
//	for r := range rows {
//		copy(dst[r*ldd:][:n], src[r*lds:])
//	}
func copyRowsGo[T any](dst, src []T, n, rows, ldd, lds int) {
	for r := range rows {
		copy(dst[r*ldd:][:n], src[r*lds:][:n])
	}
}
