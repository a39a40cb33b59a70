//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./average -out ../average_amd64.s

func addScaled64(dst []float64, x []float32, scale float64) {
	n := vectors(len(dst), 8)
	addScaledAtLevel(unsafe.SliceData(dst), unsafe.SliceData(x), scale, n)
	addScaled64Go(dst[n:], x[n:], scale)
}

func divNarrow(dst []float32, x []float64, d float64) {
	n := vectors(len(dst), 8)
	divNarrowAtLevel(unsafe.SliceData(dst), unsafe.SliceData(x), d, n)
	divNarrowGo(dst[n:], x[n:], d)
}
