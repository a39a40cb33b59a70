//go:build !amd64 || purego

package cpu

func halfWorth(m, k, n int) bool { return false }

func gemmHalves(dst, a, b []float32, m, k, n int, transA, transB, acc bool) {
	panic("BUG: there are no tiles of bfloat16")
}
