package cpu

// Vectors of float32: len(dst) elements are read from every operand and written to dst, which may be one of
// the operands. In comparisons both zeros are equal. Errors are in units of the last place (ulp) of the exact
// result, and hold at every level.

// VecAdd32 is dst[i] = a[i] + b[i].
func VecAdd32(dst, a, b []float32) { vecAdd(dst, a[:len(dst)], b[:len(dst)]) }

// VecAddS32 is dst[i] = a[i] + s.
func VecAddS32(dst, a []float32, s float32) { vecAddS(dst, a[:len(dst)], s) }

// VecSub32 is dst[i] = a[i] - b[i].
func VecSub32(dst, a, b []float32) { vecSub(dst, a[:len(dst)], b[:len(dst)]) }

// VecSubS32 is dst[i] = a[i] - s.
func VecSubS32(dst, a []float32, s float32) { vecSubS(dst, a[:len(dst)], s) }

// VecMul32 is dst[i] = a[i] * b[i].
func VecMul32(dst, a, b []float32) { vecMul(dst, a[:len(dst)], b[:len(dst)]) }

// VecMulS32 is dst[i] = a[i] * s.
func VecMulS32(dst, a []float32, s float32) { vecMulS(dst, a[:len(dst)], s) }

// VecDiv32 is dst[i] = a[i] / b[i].
func VecDiv32(dst, a, b []float32) { vecDiv(dst, a[:len(dst)], b[:len(dst)]) }

// VecDivS32 is dst[i] = a[i] / s.
func VecDivS32(dst, a []float32, s float32) { vecDivS(dst, a[:len(dst)], s) }

// VecMax32 is dst[i] = max(a[i], b[i]). A NaN in either gives NaN.
func VecMax32(dst, a, b []float32) { vecMax(dst, a[:len(dst)], b[:len(dst)]) }

// VecMaxS32 is dst[i] = max(a[i], s). A NaN in either gives NaN.
func VecMaxS32(dst, a []float32, s float32) { vecMaxS(dst, a[:len(dst)], s) }

// VecMin32 is dst[i] = min(a[i], b[i]). A NaN in either gives NaN.
func VecMin32(dst, a, b []float32) { vecMin(dst, a[:len(dst)], b[:len(dst)]) }

// VecMinS32 is dst[i] = min(a[i], s). A NaN in either gives NaN.
func VecMinS32(dst, a []float32, s float32) { vecMinS(dst, a[:len(dst)], s) }

// VecRSubS32 is dst[i] = s - a[i].
func VecRSubS32(dst, a []float32, s float32) { vecRSubS(dst, a[:len(dst)], s) }

// VecRDivS32 is dst[i] = s / a[i].
func VecRDivS32(dst, a []float32, s float32) { vecRDivS(dst, a[:len(dst)], s) }

// VecAxpy32 is dst[i] += alpha * x[i], fused at the levels that can do that.
func VecAxpy32(dst, x []float32, alpha float32) { vecAxpy(dst, x[:len(dst)], alpha) }

// VecRelu32 is
//
//	for i, v := range x {
//		if v < 0 {
//			v = 0
//		}
//		dst[i] = v
//	}
func VecRelu32(dst, x []float32) { vecRelu(dst, x[:len(dst)]) }

// VecSqrt32 is dst[i] = √x[i], correctly rounded.
func VecSqrt32(dst, x []float32) { vecSqrt(dst, x[:len(dst)]) }

// VecExp32 is dst[i] = exp(x[i]) within 1.5 ulp, also for denormal results.
func VecExp32(dst, x []float32) { vecExp(dst, x[:len(dst)]) }

// VecLog32 is dst[i] = log(x[i]) within 1.5 ulp, also for denormal x.
func VecLog32(dst, x []float32) { vecLog(dst, x[:len(dst)]) }

// VecTanh32 is dst[i] = tanh(x[i]) within 2 ulp.
func VecTanh32(dst, x []float32) { vecTanh(dst, x[:len(dst)]) }

// VecSigmoid32 is dst[i] = 1/(1+exp(-x[i])) within 3 ulp, also for small results.
func VecSigmoid32(dst, x []float32) { vecSigmoid(dst, x[:len(dst)]) }

// VecErf32 is dst[i] = erf(x[i]) within 1.5 ulp.
func VecErf32(dst, x []float32) { vecErf(dst, x[:len(dst)]) }

// VecGelu32 is dst[i] = x/2·(1+erf(x/√2)) for x = x[i], within 2⁻²³·|x|.
func VecGelu32(dst, x []float32) { vecGelu(dst, x[:len(dst)]) }

// VecGeluTanh32 is dst[i] = x/2·(1+tanh(√(2/π)·(x+0.044715·x³))) for x = x[i], within 2⁻²²·|x|.
func VecGeluTanh32(dst, x []float32) { vecGeluTanh(dst, x[:len(dst)]) }

// VecSilu32 is dst[i] = x/(1+exp(-x)) for x = x[i], within 2⁻²¹·|x|.
func VecSilu32(dst, x []float32) { vecSilu(dst, x[:len(dst)]) }

// VecHardSwish32 is dst[i] = x·max(0, min(1, x/6+1/2)) for x = x[i], within 2⁻²³·|x|.
func VecHardSwish32(dst, x []float32) { vecHardSwish(dst, x[:len(dst)]) }

// VecSum32 returns the sum of x. The order is fixed: 64 sums of the x[i] with the same i%64, which are then
// added in halves. It is the same at every level.
func VecSum32(x []float32) float32 { return vecSum(x) }

// VecDot32 returns Σ x[i]·y[i] in the order of [VecSum32], with fused multiply-adds at the levels that have
// them.
func VecDot32(x, y []float32) float32 { return vecDot(x, y[:len(x)]) }

// VecReduceMax32 returns the largest element of x, NaN if there is one, and -Inf if x is empty.
func VecReduceMax32(x []float32) float32 { return vecReduceMax(x) }

// VecReduceMin32 returns the smallest element of x, NaN if there is one, and +Inf if x is empty.
func VecReduceMin32(x []float32) float32 { return vecReduceMin(x) }

// VecSoftmax32 is one row of softmax, each element with a relative error of at most 2⁻¹⁷:
//
//	top := largest element of x
//	for i := range x {
//		dst[i] = exp(x[i] - top)
//	}
//	for i := range x {
//		dst[i] /= VecSum32(dst) // of before
//	}
func VecSoftmax32(dst, x []float32) {
	if len(dst) > 0 {
		softmaxRows(dst, x[:len(dst)], len(dst), lowest[float32]())
	}
}

// VecLayerNorm32 is one row of layer normalization: first the mean, then the variance of the differences from
// it.
//
//	for i := range x {
//		dst[i] = (x[i]-mean)/√(variance+eps)*scale[i] + bias[i]
//	}
//
// A nil scale is ones, a nil bias zeros.
func VecLayerNorm32(dst, x, scale, bias []float32, eps float32) {
	n := len(dst)
	if n == 0 {
		return
	}
	x = x[:n]
	if scale != nil && bias != nil {
		vecLayerNorm(dst, x, scale[:n], bias[:n], eps)
		return
	}
	normRow(dst, x, scale, bias, eps)
}
