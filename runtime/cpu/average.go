package cpu

import "math"

// AllFinite reports whether no element is infinite or NaN.
func AllFinite(x []float32) bool { return allFinite(x) }

// infinite is the bits of +Inf; those of a NaN without its sign are above.
const infinite = 0x7f800000

func allFiniteGo(x []float32) bool {
	top := uint32(0)
	for _, v := range x {
		top = max(top, math.Float32bits(v)&^(1<<31))
	}
	return top < infinite
}

// AddScaled64 is
//
//	for i, v := range x {
//		dst[i] += scale * float64(v)
//	}
//
// where the product is rounded.
func AddScaled64(dst []float64, x []float32, scale float64) { addScaled64(dst, x[:len(dst)], scale) }

func addScaled64Go(dst []float64, x []float32, scale float64) {
	for i, v := range x {
		dst[i] += float64(scale * float64(v))
	}
}

// DivNarrow is
//
//	for i, v := range x {
//		dst[i] = float32(v / d)
//	}
//
// where dst may be the first half of the memory of x.
func DivNarrow(dst []float32, x []float64, d float64) { divNarrow(dst, x[:len(dst)], d) }

func divNarrowGo(dst []float32, x []float64, d float64) {
	for i, v := range x {
		dst[i] = float32(v / d)
	}
}
