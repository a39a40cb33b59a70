package cpu

import "math"

// Pow is dst[i] = a[i] to the power of b[i], where an operand of one element stands for all. Negative powers
// of integers are rounded towards 0.
func Pow[T Number](dst, a, b []T) {
	if !isFloat[T]() {
		da, db := along(a), along(b)
		for i := range dst {
			dst[i] = powInt(a[i&da], b[i&db])
		}
		return
	}
	if len(b) == 1 && powConst(dst, a, float64(b[0])) {
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = T(math.Pow(float64(a[i&da]), float64(b[i&db])))
	}
}

// powConst computes powers whose exponent needs no logarithm, for floats.
func powConst[T Number](dst, a []T, e float64) bool {
	if len(a) != len(dst) {
		return false
	}
	switch e {
	case 1:
		copy(dst, a)
	case 2:
		if d, ok := any(dst).([]float32); ok {
			x := any(a).([]float32)
			VecMul32(d, x, x)
			return true
		}
		for i, v := range a {
			dst[i] = v * v
		}
	case 3:
		for i, v := range a {
			w := float64(v)
			dst[i] = T(w * w * w)
		}
	case 0.5:
		for i, v := range a {
			dst[i] = T(math.Sqrt(float64(v) + 0)) // + 0: √-0 is -0, its power is 0
			if float64(v) < -math.MaxFloat64 {
				dst[i] = -v
			}
		}
	default:
		return false
	}
	return true
}

// powInt is x to the power of e, modulo the size of the type.
func powInt[T Number](x, e T) T {
	if e < 0 {
		switch x + 1 {
		case 2: // 1
			return 1
		case 0: // -1
			e = -e
		default:
			return 0
		}
	}
	var p T = 1
	for n := uint64(e); n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= x
		}
		x *= x
	}
	return p
}
