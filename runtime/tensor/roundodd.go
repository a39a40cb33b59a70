package tensor

import "math"

// RoundOdd narrows f to float32 and, where that is not exact, takes the
// neighbour whose last bit is set. A further rounding of the result to any
// small float is as if f had been rounded directly.
func RoundOdd(f float64) float32 {
	r := float32(f)
	if float64(r) == f || f != f {
		return r
	}
	b := math.Float32bits(r)
	if math.Abs(float64(r)) > math.Abs(f) { // back towards zero; Inf becomes the largest float32
		b--
	}
	return math.Float32frombits(b | 1)
}
