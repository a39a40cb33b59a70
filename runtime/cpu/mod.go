package cpu

import "math"

// Mod is dst[i] = a[i] - ⌊a[i]/b[i]⌋·b[i], which has b's sign, where an operand
// of one element stands for all.
func Mod[T Number](dst, a, b []T) {
	failIfZero("Mod", b)
	da, db := along(a), along(b)
	float := isFloat[T]()
	for i := range dst {
		x, y := a[i&da], b[i&db]
		if float {
			dst[i] = T(modFloat(float64(x), float64(y)))
			continue
		}
		r := x - T(x/y)*y
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		dst[i] = r
	}
}

func modFloat(x, y float64) float64 {
	r := math.Mod(x, y)
	switch {
	case r == 0:
		return math.Copysign(0, y)
	case (r < 0) != (y < 0): // never where r is NaN and y is not
		r += y
	}
	return r
}

// Fmod is dst[i] = a[i] - trunc(a[i]/b[i])·b[i], which has a's sign, where an
// operand of one element stands for all.
func Fmod[T Number](dst, a, b []T) {
	failIfZero("Mod", b)
	da, db := along(a), along(b)
	float := isFloat[T]()
	for i := range dst {
		x, y := a[i&da], b[i&db]
		if float {
			dst[i] = T(math.Mod(float64(x), float64(y)))
			continue
		}
		dst[i] = x - T(x/y)*y
	}
}
