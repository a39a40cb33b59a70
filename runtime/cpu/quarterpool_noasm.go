//go:build !amd64 || purego

package cpu

func quarterMax(dst, x []float32, w int)         { quarterMaxGo(dst, x, w) }
func quarterMaxGrad(dst, x, dy []float32, w int) { quarterMaxGradGo(dst, x, dy, w) }
