package cpu

// FixedPoint is
//
//	for i, v := range x {
//		dst[i] = floor(scale*v + (random[i]+0.5)/65536)
//	}
//
// in fixed point, with 32 bits behind the point. Products must be below 2³¹. If the random numbers are uniform, the expected
// value of an element is the product, up to 2⁻¹⁷.
func FixedPoint(dst []int32, x []float32, random []uint16, scale float64) {
	fixedPoint(dst, x[:len(dst)], random[:len(dst)], scale*(1<<32))
}

func fixedPointGo(dst []int32, x []float32, random []uint16, scale float64) {
	for i, v := range x {
		dst[i] = int32((int64(scale*float64(v)) + int64(random[i])<<16 + 1<<15) >> 32)
	}
}
