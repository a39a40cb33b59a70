//go:build !amd64 || purego

package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

func halfWorth(m, k, n int) bool { return false }

func gemmHalves(dst []float32, a, b halfOperand, m, k, n int, acc bool) {
	panic("BUG: there are no tiles of bfloat16")
}

func timesPanels(dst []float32, a, panels []tensor.BF16, bias, res []float32, s MatMulShape, act Act) {
	panic("BUG: there are no tiles of bfloat16")
}
