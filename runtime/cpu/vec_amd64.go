//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./vec -out ../vec_amd64.s

// grouped returns how many of some rows of n elements kernels compute in groups, several rows at once.
func grouped(rows, n int) int {
	if n > maxGrouped {
		return 0
	}
	return vectors(rows, 4)
}

// softmaxRows is [softmaxRowsGo]. The last elements of a row are stored under a mask, and a read of the
// following elements has to wait for that: rows are processed in an order in which none follows its neighbor.
func softmaxRows(dst, x []float32, n int, floor float32) {
	if level == Portable {
		softmaxRowsGo(dst, x, n, floor)
		return
	}
	turns := 1
	if n%16 != 0 {
		turns = min(8, len(dst)/n)
	}
	for t := range turns {
		if d, x := dst[t*n:], x[t*n:]; level == AVX512 {
			softmaxRowsAVX512(d, x, n, turns*n, floor)
		} else {
			softmaxRowsAVX2(d, x, n, turns*n, floor)
		}
	}
}

// compute is [stairs.computeGo].
func (s *stairs) compute() {
	if !softmaxStairsAtLevel(s) {
		s.computeGo()
	}
}
