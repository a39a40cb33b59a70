//go:build amd64 && !purego

package cpu

func quarterMax(dst, x []float32, w int) {
	switch level {
	case AVX512:
		quarterMaxAVX512(dst, x, w)
	case AVX2:
		quarterMaxAVX2(dst, x, w)
	default:
		quarterMaxGo(dst, x, w)
	}
}

func quarterMaxGrad(dst, x, dy []float32, w int) {
	switch level {
	case AVX512:
		quarterMaxGradAVX512(dst, x, dy, w)
	case AVX2:
		quarterMaxGradAVX2(dst, x, dy, w)
	default:
		quarterMaxGradGo(dst, x, dy, w)
	}
}

//go:noescape
func quarterMaxAVX512(dst, x []float32, w int)

//go:noescape
func quarterMaxAVX2(dst, x []float32, w int)

//go:noescape
func quarterMaxGradAVX512(dst, x, dy []float32, w int)

//go:noescape
func quarterMaxGradAVX2(dst, x, dy []float32, w int)
