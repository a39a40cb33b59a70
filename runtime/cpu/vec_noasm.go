//go:build (!amd64 && !arm64) || purego

package cpu

func vecAdd(dst, a, b []float32) { vecAddGo(dst, a, b) }
func vecSub(dst, a, b []float32) { vecSubGo(dst, a, b) }
func vecMul(dst, a, b []float32) { vecMulGo(dst, a, b) }
func vecDiv(dst, a, b []float32) { vecDivGo(dst, a, b) }
func vecMax(dst, a, b []float32) { vecMaxGo(dst, a, b) }
func vecMin(dst, a, b []float32) { vecMinGo(dst, a, b) }

func vecAddS(dst, a []float32, s float32)    { vecAddSGo(dst, a, s) }
func vecSubS(dst, a []float32, s float32)    { vecSubSGo(dst, a, s) }
func vecMulS(dst, a []float32, s float32)    { vecMulSGo(dst, a, s) }
func vecDivS(dst, a []float32, s float32)    { vecDivSGo(dst, a, s) }
func vecMaxS(dst, a []float32, s float32)    { vecMaxSGo(dst, a, s) }
func vecMinS(dst, a []float32, s float32)    { vecMinSGo(dst, a, s) }
func vecRSubS(dst, a []float32, s float32)   { vecRSubSGo(dst, a, s) }
func vecRDivS(dst, a []float32, s float32)   { vecRDivSGo(dst, a, s) }
func vecAxpy(dst, a []float32, s float32)    { vecAxpyGo(dst, a, s) }
func vecMulMulS(dst, a []float32, s float32) { vecMulMulSGo(dst, a, s) }
func vecExpSubS(dst, a []float32, s float32) { vecExpSubSGo(dst, a, s) }

func vecLayerNorm(dst, x, scale, bias []float32, eps float32) {
	vecLayerNormGo(dst, x, scale, bias, eps)
}

func softmaxRows(dst, x []float32, n int, floor float32) { softmaxRowsGo(dst, x, n, floor) }

func (s *stairs) compute() { s.computeGo() }

func vecRelu(dst, x []float32)      { vecReluGo(dst, x) }
func vecSqrt(dst, x []float32)      { vecSqrtGo(dst, x) }
func vecExp(dst, x []float32)       { vecExpGo(dst, x) }
func vecLog(dst, x []float32)       { vecLogGo(dst, x) }
func vecTanh(dst, x []float32)      { vecTanhGo(dst, x) }
func vecSigmoid(dst, x []float32)   { vecSigmoidGo(dst, x) }
func vecErf(dst, x []float32)       { vecErfGo(dst, x) }
func vecGelu(dst, x []float32)      { vecGeluGo(dst, x) }
func vecGeluTanh(dst, x []float32)  { vecGeluTanhGo(dst, x) }
func vecSilu(dst, x []float32)      { vecSiluGo(dst, x) }
func vecHardSwish(dst, x []float32) { vecHardSwishGo(dst, x) }

func vecSum(x []float32) float32       { return vecSumGo(x) }
func vecReduceMax(x []float32) float32 { return vecReduceMaxGo(x) }
func vecReduceMin(x []float32) float32 { return vecReduceMinGo(x) }

func vecDot(x, y []float32) float32 { return vecDotGo(x, y) }
