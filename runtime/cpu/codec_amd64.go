//go:build amd64 && !purego

package cpu

import "slices"

//go:generate env GOWORK=off go -C _asm run ./codec -out ../codec_amd64.s

// whole returns how many of n elements the kernels of codecs take.
func whole(n, step int) int {
	if vectorBytes() == 0 {
		return 0
	}
	return n &^ (step - 1)
}

func sumSquares(x []float32) float64 {
	n := whole(len(x), normStep)
	if n == 0 {
		return sumSquaresGo(x)
	}
	var sum [8]float64
	sumSquaresAtLevel(&sum, &x[0], n)
	return total(&sum) + sumSquaresGo(x[n:])
}

func sumAbs(x []float32) float64 {
	n := whole(len(x), normStep)
	if n == 0 {
		return sumAbsGo(x)
	}
	var sum [8]float64
	sumAbsAtLevel(&sum, &x[0], n)
	return total(&sum) + sumAbsGo(x[n:])
}

func total(lanes *[8]float64) (sum float64) {
	for _, v := range lanes {
		sum += v
	}
	return sum
}

func maxAbs(x []float32) uint32 {
	n := whole(len(x), normStep)
	if n == 0 {
		return maxAbsGo(x)
	}
	var most [16]uint32
	maxAbsAtLevel(&most, &x[0], n)
	return max(slices.Max(most[:]), maxAbsGo(x[n:]))
}

func takeSigns(bits []byte, x []float32, scale float32) {
	n := whole(len(x), normStep)
	if n > 0 {
		takeSignsAtLevel(&bits[0], &x[0], scale, n)
	}
	takeSignsGo(bits[n/8:], x[n:], scale)
}

func putSigns(dst []float32, bits []byte, scale float32) {
	n := whole(len(dst), normStep)
	if n > 0 {
		putSignsAtLevel(&dst[0], &bits[0], scale, n)
	}
	putSignsGo(dst[n:], bits[n/8:], scale)
}

func fixedPoint(dst []int32, x []float32, random []uint16, scale float64) {
	n := whole(len(dst), normStep)
	if n > 0 {
		fixedPointAtLevel(&dst[0], &x[0], &random[0], scale, n)
	}
	fixedPointGo(dst[n:], x[n:], random[n:], scale)
}

func packNibbles(dst, x []byte) {
	n := whole(len(x), nibblesStep)
	if n > 0 {
		packNibblesAVX2(&dst[0], &x[0], n)
	}
	packNibblesGo(dst[n/2:], x[n:])
}

func unpackNibbles(dst []int8, b []byte) {
	n := whole(len(dst), nibblesStep)
	if n > 0 {
		unpackNibblesAVX2(&dst[0], &b[0], n)
	}
	unpackNibblesGo(dst[n:], b[n/2:])
}
