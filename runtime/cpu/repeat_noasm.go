//go:build !amd64 || purego

package cpu

func vecRepeat(dst, x []float32, n int) { repeatGo(dst, x, n) }
