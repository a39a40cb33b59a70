package cpu

import "math"

// FixedPoint is
//
//	for i, v := range x {
//		dst[i] = floor(scale*v + (random[i]+0.5)/65536)
//	}
//
// in float64. Products must be below 2³¹. If the random numbers are uniform, the expected value of an element is the
// product, up to 2⁻¹⁷.
func FixedPoint(dst []int32, x []float32, random []uint16, scale float64) {
	fixedPoint(dst, x[:len(dst)], random[:len(dst)], scale)
}

func fixedPointGo(dst []int32, x []float32, random []uint16, scale float64) {
	for i, v := range x {
		product := scale * float64(v)
		dst[i] = int32(math.Floor(float64(product) + (float64(random[i])*0x1p-16 + 0x1p-17)))
	}
}
