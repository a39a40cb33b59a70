//go:build amd64 && !purego

package cpu

func vecRepeat(dst, x []float32, n int) {
	whole := 0
	switch level {
	case AVX512:
		whole = repeatedWhole(dst, x, n, 16)
		vecRepeatAVX512(dst, x[:whole], n)
	case AVX2:
		whole = repeatedWhole(dst, x, n, 8)
		vecRepeatAVX2(dst, x[:whole], n)
	}
	repeatGo(dst[whole*n:], x[whole:], n)
}

// repeatedWhole returns the number of elements of x whose last vector ends before dst does.
func repeatedWhole(dst, x []float32, n, lanes int) int {
	last := len(dst) - (n+lanes-1)/lanes*lanes // where the last of them may begin
	if n == 0 || last < 0 {
		return 0
	}
	return min(len(x), last/n+1)
}
