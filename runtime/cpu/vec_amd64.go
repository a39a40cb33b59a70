//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./vec -out ../vec_amd64.s

func vecAdd(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecAddAVX512(dst, a, b)
	case AVX2:
		vecAddAVX2(dst, a, b)
	default:
		vecAddGo(dst, a, b)
	}
}

func vecSub(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecSubAVX512(dst, a, b)
	case AVX2:
		vecSubAVX2(dst, a, b)
	default:
		vecSubGo(dst, a, b)
	}
}

func vecMul(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecMulAVX512(dst, a, b)
	case AVX2:
		vecMulAVX2(dst, a, b)
	default:
		vecMulGo(dst, a, b)
	}
}

func vecDiv(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecDivAVX512(dst, a, b)
	case AVX2:
		vecDivAVX2(dst, a, b)
	default:
		vecDivGo(dst, a, b)
	}
}

func vecMax(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecMaxAVX512(dst, a, b)
	case AVX2:
		vecMaxAVX2(dst, a, b)
	default:
		vecMaxGo(dst, a, b)
	}
}

func vecMin(dst, a, b []float32) {
	switch level {
	case AVX512:
		vecMinAVX512(dst, a, b)
	case AVX2:
		vecMinAVX2(dst, a, b)
	default:
		vecMinGo(dst, a, b)
	}
}

func vecAddS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecAddSAVX512(dst, a, s)
	case AVX2:
		vecAddSAVX2(dst, a, s)
	default:
		vecAddSGo(dst, a, s)
	}
}

func vecSubS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecSubSAVX512(dst, a, s)
	case AVX2:
		vecSubSAVX2(dst, a, s)
	default:
		vecSubSGo(dst, a, s)
	}
}

func vecMulS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecMulSAVX512(dst, a, s)
	case AVX2:
		vecMulSAVX2(dst, a, s)
	default:
		vecMulSGo(dst, a, s)
	}
}

func vecDivS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecDivSAVX512(dst, a, s)
	case AVX2:
		vecDivSAVX2(dst, a, s)
	default:
		vecDivSGo(dst, a, s)
	}
}

func vecMaxS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecMaxSAVX512(dst, a, s)
	case AVX2:
		vecMaxSAVX2(dst, a, s)
	default:
		vecMaxSGo(dst, a, s)
	}
}

func vecMinS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecMinSAVX512(dst, a, s)
	case AVX2:
		vecMinSAVX2(dst, a, s)
	default:
		vecMinSGo(dst, a, s)
	}
}

func vecRSubS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecRSubSAVX512(dst, a, s)
	case AVX2:
		vecRSubSAVX2(dst, a, s)
	default:
		vecRSubSGo(dst, a, s)
	}
}

func vecRDivS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecRDivSAVX512(dst, a, s)
	case AVX2:
		vecRDivSAVX2(dst, a, s)
	default:
		vecRDivSGo(dst, a, s)
	}
}

func vecAxpy(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecAxpyAVX512(dst, a, s)
	case AVX2:
		vecAxpyAVX2(dst, a, s)
	default:
		vecAxpyGo(dst, a, s)
	}
}

func vecMulMulS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecMulMulSAVX512(dst, a, s)
	case AVX2:
		vecMulMulSAVX2(dst, a, s)
	default:
		vecMulMulSGo(dst, a, s)
	}
}

func vecExpSubS(dst, a []float32, s float32) {
	switch level {
	case AVX512:
		vecExpSubSAVX512(dst, a, s)
	case AVX2:
		vecExpSubSAVX2(dst, a, s)
	default:
		vecExpSubSGo(dst, a, s)
	}
}

func vecRelu(dst, x []float32) {
	switch level {
	case AVX512:
		vecReluAVX512(dst, x)
	case AVX2:
		vecReluAVX2(dst, x)
	default:
		vecReluGo(dst, x)
	}
}

func vecSqrt(dst, x []float32) {
	switch level {
	case AVX512:
		vecSqrtAVX512(dst, x)
	case AVX2:
		vecSqrtAVX2(dst, x)
	default:
		vecSqrtGo(dst, x)
	}
}

func vecExp(dst, x []float32) {
	switch level {
	case AVX512:
		vecExpAVX512(dst, x)
	case AVX2:
		vecExpAVX2(dst, x)
	default:
		vecExpGo(dst, x)
	}
}

func vecLog(dst, x []float32) {
	switch level {
	case AVX512:
		vecLogAVX512(dst, x)
	case AVX2:
		vecLogAVX2(dst, x)
	default:
		vecLogGo(dst, x)
	}
}

func vecTanh(dst, x []float32) {
	switch level {
	case AVX512:
		vecTanhAVX512(dst, x)
	case AVX2:
		vecTanhAVX2(dst, x)
	default:
		vecTanhGo(dst, x)
	}
}

func vecSigmoid(dst, x []float32) {
	switch level {
	case AVX512:
		vecSigmoidAVX512(dst, x)
	case AVX2:
		vecSigmoidAVX2(dst, x)
	default:
		vecSigmoidGo(dst, x)
	}
}

func vecErf(dst, x []float32) {
	switch level {
	case AVX512:
		vecErfAVX512(dst, x)
	case AVX2:
		vecErfAVX2(dst, x)
	default:
		vecErfGo(dst, x)
	}
}

func vecGelu(dst, x []float32) {
	switch level {
	case AVX512:
		vecGeluAVX512(dst, x)
	case AVX2:
		vecGeluAVX2(dst, x)
	default:
		vecGeluGo(dst, x)
	}
}

func vecGeluTanh(dst, x []float32) {
	switch level {
	case AVX512:
		vecGeluTanhAVX512(dst, x)
	case AVX2:
		vecGeluTanhAVX2(dst, x)
	default:
		vecGeluTanhGo(dst, x)
	}
}

func vecSilu(dst, x []float32) {
	switch level {
	case AVX512:
		vecSiluAVX512(dst, x)
	case AVX2:
		vecSiluAVX2(dst, x)
	default:
		vecSiluGo(dst, x)
	}
}

func vecHardSwish(dst, x []float32) {
	switch level {
	case AVX512:
		vecHardSwishAVX512(dst, x)
	case AVX2:
		vecHardSwishAVX2(dst, x)
	default:
		vecHardSwishGo(dst, x)
	}
}

func vecLayerNorm(dst, x, scale, bias []float32, eps float32) {
	switch level {
	case AVX512:
		vecLayerNormAVX512(dst, x, scale, bias, eps)
	case AVX2:
		vecLayerNormAVX2(dst, x, scale, bias, eps)
	default:
		vecLayerNormGo(dst, x, scale, bias, eps)
	}
}

// softmaxRows is [softmaxRowsGo]. The last elements of a row are stored under a mask, and a read of the
// following elements has to wait for that: rows are processed in an order in which none follows its neighbor.
func softmaxRows(dst, x []float32, n int, floor float32) {
	if level == Portable {
		softmaxRowsGo(dst, x, n, floor)
		return
	}
	turns := 1
	if n%16 != 0 {
		turns = min(8, len(dst)/n)
	}
	for t := range turns {
		if d, x := dst[t*n:], x[t*n:]; level == AVX512 {
			softmaxRowsAVX512(d, x, n, turns*n, floor)
		} else {
			softmaxRowsAVX2(d, x, n, turns*n, floor)
		}
	}
}

func vecSum(x []float32) float32 {
	switch level {
	case AVX512:
		return vecSumAVX512(x)
	case AVX2:
		return vecSumAVX2(x)
	}
	return vecSumGo(x)
}

func vecReduceMax(x []float32) float32 {
	switch level {
	case AVX512:
		return vecReduceMaxAVX512(x)
	case AVX2:
		return vecReduceMaxAVX2(x)
	}
	return vecReduceMaxGo(x)
}

func vecReduceMin(x []float32) float32 {
	switch level {
	case AVX512:
		return vecReduceMinAVX512(x)
	case AVX2:
		return vecReduceMinAVX2(x)
	}
	return vecReduceMinGo(x)
}

func vecDot(x, y []float32) float32 {
	switch level {
	case AVX512:
		return vecDotAVX512(x, y)
	case AVX2:
		return vecDotAVX2(x, y)
	}
	return vecDotGo(x, y)
}

//go:noescape
func vecAddAVX512(dst, a, b []float32)

//go:noescape
func vecAddAVX2(dst, a, b []float32)

//go:noescape
func vecSubAVX512(dst, a, b []float32)

//go:noescape
func vecSubAVX2(dst, a, b []float32)

//go:noescape
func vecMulAVX512(dst, a, b []float32)

//go:noescape
func vecMulAVX2(dst, a, b []float32)

//go:noescape
func vecDivAVX512(dst, a, b []float32)

//go:noescape
func vecDivAVX2(dst, a, b []float32)

//go:noescape
func vecMaxAVX512(dst, a, b []float32)

//go:noescape
func vecMaxAVX2(dst, a, b []float32)

//go:noescape
func vecMinAVX512(dst, a, b []float32)

//go:noescape
func vecMinAVX2(dst, a, b []float32)

//go:noescape
func vecAddSAVX512(dst, a []float32, s float32)

//go:noescape
func vecAddSAVX2(dst, a []float32, s float32)

//go:noescape
func vecSubSAVX512(dst, a []float32, s float32)

//go:noescape
func vecSubSAVX2(dst, a []float32, s float32)

//go:noescape
func vecMulSAVX512(dst, a []float32, s float32)

//go:noescape
func vecMulSAVX2(dst, a []float32, s float32)

//go:noescape
func vecDivSAVX512(dst, a []float32, s float32)

//go:noescape
func vecDivSAVX2(dst, a []float32, s float32)

//go:noescape
func vecMaxSAVX512(dst, a []float32, s float32)

//go:noescape
func vecMaxSAVX2(dst, a []float32, s float32)

//go:noescape
func vecMinSAVX512(dst, a []float32, s float32)

//go:noescape
func vecMinSAVX2(dst, a []float32, s float32)

//go:noescape
func vecRSubSAVX512(dst, a []float32, s float32)

//go:noescape
func vecRSubSAVX2(dst, a []float32, s float32)

//go:noescape
func vecRDivSAVX512(dst, a []float32, s float32)

//go:noescape
func vecRDivSAVX2(dst, a []float32, s float32)

//go:noescape
func vecAxpyAVX512(dst, a []float32, s float32)

//go:noescape
func vecAxpyAVX2(dst, a []float32, s float32)

//go:noescape
func vecMulMulSAVX512(dst, a []float32, s float32)

//go:noescape
func vecMulMulSAVX2(dst, a []float32, s float32)

//go:noescape
func vecExpSubSAVX512(dst, a []float32, s float32)

//go:noescape
func vecExpSubSAVX2(dst, a []float32, s float32)

//go:noescape
func vecReluAVX512(dst, x []float32)

//go:noescape
func vecReluAVX2(dst, x []float32)

//go:noescape
func vecSqrtAVX512(dst, x []float32)

//go:noescape
func vecSqrtAVX2(dst, x []float32)

//go:noescape
func vecExpAVX512(dst, x []float32)

//go:noescape
func vecExpAVX2(dst, x []float32)

//go:noescape
func vecLogAVX512(dst, x []float32)

//go:noescape
func vecLogAVX2(dst, x []float32)

//go:noescape
func vecTanhAVX512(dst, x []float32)

//go:noescape
func vecTanhAVX2(dst, x []float32)

//go:noescape
func vecSigmoidAVX512(dst, x []float32)

//go:noescape
func vecSigmoidAVX2(dst, x []float32)

//go:noescape
func vecErfAVX512(dst, x []float32)

//go:noescape
func vecErfAVX2(dst, x []float32)

//go:noescape
func vecGeluAVX512(dst, x []float32)

//go:noescape
func vecGeluAVX2(dst, x []float32)

//go:noescape
func vecGeluTanhAVX512(dst, x []float32)

//go:noescape
func vecGeluTanhAVX2(dst, x []float32)

//go:noescape
func vecSiluAVX512(dst, x []float32)

//go:noescape
func vecSiluAVX2(dst, x []float32)

//go:noescape
func vecHardSwishAVX512(dst, x []float32)

//go:noescape
func vecHardSwishAVX2(dst, x []float32)

//go:noescape
func vecLayerNormAVX512(dst, x, scale, bias []float32, eps float32)

//go:noescape
func vecLayerNormAVX2(dst, x, scale, bias []float32, eps float32)

//go:noescape
func softmaxRowsAVX512(dst, x []float32, n, step int, floor float32)

//go:noescape
func softmaxRowsAVX2(dst, x []float32, n, step int, floor float32)

//go:noescape
func vecSumAVX512(x []float32) float32

//go:noescape
func vecSumAVX2(x []float32) float32

//go:noescape
func vecReduceMaxAVX512(x []float32) float32

//go:noescape
func vecReduceMaxAVX2(x []float32) float32

//go:noescape
func vecReduceMinAVX512(x []float32) float32

//go:noescape
func vecReduceMinAVX2(x []float32) float32

//go:noescape
func vecDotAVX512(x, y []float32) float32

//go:noescape
func vecDotAVX2(x, y []float32) float32
