//go:build !amd64 || purego

package cpu

func addScaled64(dst []float64, x []float32, scale float64) { addScaled64Go(dst, x, scale) }
func divNarrow(dst []float32, x []float64, d float64)       { divNarrowGo(dst, x, d) }
