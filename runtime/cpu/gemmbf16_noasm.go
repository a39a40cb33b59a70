//go:build !amd64 || purego

package cpu

func halfWorth(m, k, n int) bool { return false }

func gemmHalves(dst []float32, a, b halfOperand, m, k, n int, acc bool) {
	panic("BUG: there are no tiles of bfloat16")
}
