//go:build amd64 && !purego

package cpu

func vecRepeat(dst, x []float32, n int) {
	whole := repeatedWhole(dst, x, n, vectorBytes()/4)
	vecRepeatAtLevel(dst, x[:whole], n)
	repeatGo(dst[whole*n:], x[whole:], n)
}

// repeatedWhole returns the number of elements of x whose last vector ends before dst does.
func repeatedWhole(dst, x []float32, n, lanes int) int {
	if n == 0 || lanes == 0 {
		return 0
	}
	last := len(dst) - (n+lanes-1)/lanes*lanes // where the last of them may begin
	if last < 0 {
		return 0
	}
	return min(len(x), last/n+1)
}
