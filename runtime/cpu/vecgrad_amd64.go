//go:build amd64 && !purego

package cpu

func vecReluGrad(dst, dy, y []float32) {
	switch level {
	case AVX512:
		vecReluGradAVX512(dst, dy, y)
	case AVX2:
		vecReluGradAVX2(dst, dy, y)
	default:
		vecReluGradGo(dst, dy, y)
	}
}

func vecGeluGrad(dst, dy, x []float32) {
	switch level {
	case AVX512:
		vecGeluGradAVX512(dst, dy, x)
	case AVX2:
		vecGeluGradAVX2(dst, dy, x)
	default:
		vecGeluGradGo(dst, dy, x)
	}
}

func vecGeluTanhGrad(dst, dy, x []float32) {
	switch level {
	case AVX512:
		vecGeluTanhGradAVX512(dst, dy, x)
	case AVX2:
		vecGeluTanhGradAVX2(dst, dy, x)
	default:
		vecGeluTanhGradGo(dst, dy, x)
	}
}

func vecSubSMul(dst, a, b []float32, s float32) {
	switch level {
	case AVX512:
		vecSubSMulAVX512(dst, a, b, s)
	case AVX2:
		vecSubSMulAVX2(dst, a, b, s)
	default:
		vecSubSMulGo(dst, a, b, s)
	}
}

func vecMulAdd(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecMulAddAVX512(dst, a, b)
	case AVX2:
		vecMulAddAVX2(dst, a, b)
	default:
		vecMulAddGo(dst, a, b)
	}
}

func vecNormGrad(dst, h, u []float32, a, b, c float32) {
	switch level {
	case AVX512:
		vecNormGradAVX512(dst, h, u, a, b, c)
	case AVX2:
		vecNormGradAVX2(dst, h, u, a, b, c)
	default:
		vecNormGradGo(dst, h, u, a, b, c)
	}
}

//go:noescape
func vecReluGradAVX512(dst, dy, y []float32)

//go:noescape
func vecReluGradAVX2(dst, dy, y []float32)

//go:noescape
func vecGeluGradAVX512(dst, dy, x []float32)

//go:noescape
func vecGeluGradAVX2(dst, dy, x []float32)

//go:noescape
func vecGeluTanhGradAVX512(dst, dy, x []float32)

//go:noescape
func vecGeluTanhGradAVX2(dst, dy, x []float32)

//go:noescape
func vecSubSMulAVX512(dst, a, b []float32, s float32)

//go:noescape
func vecSubSMulAVX2(dst, a, b []float32, s float32)

//go:noescape
func vecMulAddAVX512(dst, a, b []float32)

//go:noescape
func vecMulAddAVX2(dst, a, b []float32)

//go:noescape
func vecNormGradAVX512(dst, h, u []float32, a, b, c float32)

//go:noescape
func vecNormGradAVX2(dst, h, u []float32, a, b, c float32)
