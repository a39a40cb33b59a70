//go:build !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./neon -dir ..

func vecAdd(dst, a, b []float32) {
	if level == Portable {
		vecAddGo(dst, a, b)
		return
	}
	vecAddNEON(dst, a, b)
}

func vecSub(dst, a, b []float32) {
	if level == Portable {
		vecSubGo(dst, a, b)
		return
	}
	vecSubNEON(dst, a, b)
}

func vecMul(dst, a, b []float32) {
	if level == Portable {
		vecMulGo(dst, a, b)
		return
	}
	vecMulNEON(dst, a, b)
}

func vecDiv(dst, a, b []float32) {
	if level == Portable {
		vecDivGo(dst, a, b)
		return
	}
	vecDivNEON(dst, a, b)
}

func vecMax(dst, a, b []float32) {
	if level == Portable {
		vecMaxGo(dst, a, b)
		return
	}
	vecMaxNEON(dst, a, b)
}

func vecMin(dst, a, b []float32) {
	if level == Portable {
		vecMinGo(dst, a, b)
		return
	}
	vecMinNEON(dst, a, b)
}

func vecAddS(dst, a []float32, s float32) {
	if level == Portable {
		vecAddSGo(dst, a, s)
		return
	}
	vecAddSNEON(dst, a, s)
}

func vecSubS(dst, a []float32, s float32) {
	if level == Portable {
		vecSubSGo(dst, a, s)
		return
	}
	vecSubSNEON(dst, a, s)
}

func vecMulS(dst, a []float32, s float32) {
	if level == Portable {
		vecMulSGo(dst, a, s)
		return
	}
	vecMulSNEON(dst, a, s)
}

func vecDivS(dst, a []float32, s float32) {
	if level == Portable {
		vecDivSGo(dst, a, s)
		return
	}
	vecDivSNEON(dst, a, s)
}

func vecMaxS(dst, a []float32, s float32) {
	if level == Portable {
		vecMaxSGo(dst, a, s)
		return
	}
	vecMaxSNEON(dst, a, s)
}

func vecMinS(dst, a []float32, s float32) {
	if level == Portable {
		vecMinSGo(dst, a, s)
		return
	}
	vecMinSNEON(dst, a, s)
}

func vecRSubS(dst, a []float32, s float32) {
	if level == Portable {
		vecRSubSGo(dst, a, s)
		return
	}
	vecRSubSNEON(dst, a, s)
}

func vecRDivS(dst, a []float32, s float32) {
	if level == Portable {
		vecRDivSGo(dst, a, s)
		return
	}
	vecRDivSNEON(dst, a, s)
}

func vecAxpy(dst, a []float32, s float32) {
	if level == Portable {
		vecAxpyGo(dst, a, s)
		return
	}
	vecAxpyNEON(dst, a, s)
}

func vecMulMulS(dst, a []float32, s float32) {
	if level == Portable {
		vecMulMulSGo(dst, a, s)
		return
	}
	vecMulMulSNEON(dst, a, s)
}

func vecExpSubS(dst, a []float32, s float32) {
	if level == Portable {
		vecExpSubSGo(dst, a, s)
		return
	}
	vecExpSubSNEON(dst, a, s)
}

func vecRelu(dst, x []float32) {
	if level == Portable {
		vecReluGo(dst, x)
		return
	}
	vecReluNEON(dst, x)
}

func vecSqrt(dst, x []float32) {
	if level == Portable {
		vecSqrtGo(dst, x)
		return
	}
	vecSqrtNEON(dst, x)
}

func vecExp(dst, x []float32) {
	if level == Portable {
		vecExpGo(dst, x)
		return
	}
	vecExpNEON(dst, x)
}

func vecLog(dst, x []float32) {
	if level == Portable {
		vecLogGo(dst, x)
		return
	}
	vecLogNEON(dst, x)
}

func vecTanh(dst, x []float32) {
	if level == Portable {
		vecTanhGo(dst, x)
		return
	}
	vecTanhNEON(dst, x)
}

func vecSigmoid(dst, x []float32) {
	if level == Portable {
		vecSigmoidGo(dst, x)
		return
	}
	vecSigmoidNEON(dst, x)
}

func vecErf(dst, x []float32) {
	if level == Portable {
		vecErfGo(dst, x)
		return
	}
	vecErfNEON(dst, x)
}

func vecGelu(dst, x []float32) {
	if level == Portable {
		vecGeluGo(dst, x)
		return
	}
	vecGeluNEON(dst, x)
}

func vecGeluTanh(dst, x []float32) {
	if level == Portable {
		vecGeluTanhGo(dst, x)
		return
	}
	vecGeluTanhNEON(dst, x)
}

func vecSilu(dst, x []float32) {
	if level == Portable {
		vecSiluGo(dst, x)
		return
	}
	vecSiluNEON(dst, x)
}

func vecHardSwish(dst, x []float32) {
	if level == Portable {
		vecHardSwishGo(dst, x)
		return
	}
	vecHardSwishNEON(dst, x)
}

func vecLayerNorm(dst, x, scale, bias []float32, eps float32) {
	vecLayerNormGo(dst, x, scale, bias, eps)
}

func softmaxRows(dst, x []float32, n int, floor float32) { softmaxRowsGo(dst, x, n, floor) }

func (s *stairs) compute() { s.computeGo() }

func vecSum(x []float32) float32 {
	if level == Portable {
		return vecSumGo(x)
	}
	var rest [64]float32
	copy(rest[:], x[len(x)&^63:])
	return vecSumNEON(x, &rest)
}

func vecDot(x, y []float32) float32 {
	if level == Portable {
		return vecDotGo(x, y)
	}
	var restX, restY [64]float32
	copy(restX[:], x[len(x)&^63:])
	copy(restY[:], y[len(x)&^63:])
	return vecDotNEON(x, y, &restX, &restY)
}

func vecReduceMax(x []float32) float32 {
	if level == Portable {
		return vecReduceMaxGo(x)
	}
	return max(vecReduceMaxNEON(x), vecReduceMaxGo(x[len(x)&^63:]))
}

func vecReduceMin(x []float32) float32 {
	if level == Portable {
		return vecReduceMinGo(x)
	}
	return min(vecReduceMinNEON(x), vecReduceMinGo(x[len(x)&^63:]))
}

//go:noescape
func vecAddNEON(dst, a, b []float32)

//go:noescape
func vecSubNEON(dst, a, b []float32)

//go:noescape
func vecMulNEON(dst, a, b []float32)

//go:noescape
func vecDivNEON(dst, a, b []float32)

//go:noescape
func vecMaxNEON(dst, a, b []float32)

//go:noescape
func vecMinNEON(dst, a, b []float32)

//go:noescape
func vecAddSNEON(dst, a []float32, s float32)

//go:noescape
func vecSubSNEON(dst, a []float32, s float32)

//go:noescape
func vecMulSNEON(dst, a []float32, s float32)

//go:noescape
func vecDivSNEON(dst, a []float32, s float32)

//go:noescape
func vecMaxSNEON(dst, a []float32, s float32)

//go:noescape
func vecMinSNEON(dst, a []float32, s float32)

//go:noescape
func vecRSubSNEON(dst, a []float32, s float32)

//go:noescape
func vecRDivSNEON(dst, a []float32, s float32)

//go:noescape
func vecAxpyNEON(dst, a []float32, s float32)

//go:noescape
func vecMulMulSNEON(dst, a []float32, s float32)

//go:noescape
func vecExpSubSNEON(dst, a []float32, s float32)

//go:noescape
func vecReluNEON(dst, x []float32)

//go:noescape
func vecSqrtNEON(dst, x []float32)

//go:noescape
func vecExpNEON(dst, x []float32)

//go:noescape
func vecLogNEON(dst, x []float32)

//go:noescape
func vecTanhNEON(dst, x []float32)

//go:noescape
func vecSigmoidNEON(dst, x []float32)

//go:noescape
func vecErfNEON(dst, x []float32)

//go:noescape
func vecGeluNEON(dst, x []float32)

//go:noescape
func vecGeluTanhNEON(dst, x []float32)

//go:noescape
func vecSiluNEON(dst, x []float32)

//go:noescape
func vecHardSwishNEON(dst, x []float32)

//go:noescape
func vecSumNEON(x []float32, rest *[64]float32) float32

//go:noescape
func vecDotNEON(x, y []float32, restX, restY *[64]float32) float32

//go:noescape
func vecReduceMaxNEON(x []float32) float32

//go:noescape
func vecReduceMinNEON(x []float32) float32
