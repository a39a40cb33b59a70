//go:build !amd64 || purego

package cpu

func copyRows(dst, src []float32, n, rows, ldd, lds int) { copyRowsGo(dst, src, n, rows, ldd, lds) }

func interleave(dst, src []float32, k, n, lds int) { interleaveGo(dst, src, k, n, lds) }

func (t *tapRun) weighted(pixels int) { t.weightedGo(pixels) }

// slideKernels returns false: there are no sliding kernels.
func slideKernels(int) bool { return false }

func (t *tapRun) slide() { panic("BUG: no kernel slides") }

func (t *tapRun) largest(pixels int) { t.largestGo(pixels) }

func (t *tapRun) total(pixels int) { t.totalGo(pixels) }

func weightedLines(dst, x, weights []float32, first []int64, taps, n int) {
	weightedLinesGo(dst, x, weights, first, taps, n)
}
