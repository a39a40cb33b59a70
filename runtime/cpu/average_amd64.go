//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./average -out ../average_amd64.s

// averageLanes returns the number of float64 in a register of the level, or 0 if there is no kernel.
func averageLanes() int {
	switch level {
	case AVX512:
		return 8
	case AVX2:
		return 4
	}
	return 0
}

func addScaled64(dst []float64, x []float32, scale float64) {
	n := len(dst) &^ (max(averageLanes(), 1) - 1)
	switch level {
	case AVX512:
		addScaledAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), scale, n)
	case AVX2:
		addScaledAVX2(unsafe.SliceData(dst), unsafe.SliceData(x), scale, n)
	default:
		n = 0
	}
	addScaled64Go(dst[n:], x[n:], scale)
}

func divNarrow(dst []float32, x []float64, d float64) {
	n := len(dst) &^ (max(averageLanes(), 1) - 1)
	switch level {
	case AVX512:
		divNarrowAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), d, n)
	case AVX2:
		divNarrowAVX2(unsafe.SliceData(dst), unsafe.SliceData(x), d, n)
	default:
		n = 0
	}
	divNarrowGo(dst[n:], x[n:], d)
}
