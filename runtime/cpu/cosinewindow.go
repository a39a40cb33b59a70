package cpu

import "math"

// CosineWindow is
//
//	for i := range dst {
//		dst[i] = a0 - a1*cos(2*π*i/n) + a2*cos(4*π*i/n)
//	}
//
// where n is len(dst) of a periodic window, and one less of a symmetric one.
func CosineWindow[T Number](dst []T, periodic bool, a0, a1, a2 float64) {
	n := len(dst)
	if !periodic {
		n--
	}
	if n == 0 { // one element, the window's middle
		fill(dst, T(a0+a1+a2))
		return
	}
	for i := range dst {
		x := 2 * math.Pi * float64(i) / float64(n)
		dst[i] = T(a0 - float64(a1*math.Cos(x)) + float64(a2*math.Cos(2*x)))
	}
}
