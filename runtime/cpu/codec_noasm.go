//go:build !amd64 || purego

package cpu

func sumSquares(x []float32) float64 { return sumSquaresGo(x) }

func sumAbs(x []float32) float64 { return sumAbsGo(x) }

func maxAbs(x []float32) uint32 { return maxAbsGo(x) }

func takeSigns(bits []byte, x []float32, scale float32) { takeSignsGo(bits, x, scale) }

func putSigns(dst []float32, bits []byte, scale float32) { putSignsGo(dst, bits, scale) }

func fixedPoint(dst []int32, x []float32, random []uint16, scale float64) {
	fixedPointGo(dst, x, random, scale)
}

func packNibbles(dst, x []byte) { packNibblesGo(dst, x) }

func unpackNibbles(dst []int8, b []byte) { unpackNibblesGo(dst, b) }
