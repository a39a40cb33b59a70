package tensor

import "math"

// RoundOdd converts f to float32. If the result is not exact, it is the neighbor whose last bit is set.
// Rounding the result further to any small float gives the same value as rounding f directly.
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
