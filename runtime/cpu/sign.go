package cpu

// Abs is dst[i] =
// x[i]
// . The smallest integer is unchanged.
func Abs[T Number](dst, x []T) {
	for i, v := range x[:len(dst)] {
		if v <= 0 {
			v = 0 - v // not -v: |-0| is 0
		}
		dst[i] = v
	}
}

// Neg is dst[i] = -x[i].
func Neg[T Number](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = -v
	}
}

// Sign is
//
//	for i, v := range x {
//		switch {
//		case v > 0:
//			dst[i] = 1
//		case v < 0:
//			dst[i] = -1
//	default: // 0 and NaN are unchanged
//			dst[i] = v
//		}
//	}
func Sign[T Number](dst, x []T) {
	var one T = 1
	for i, v := range x[:len(dst)] {
		switch {
		case v > 0:
			v = one
		case v < 0:
			v = -one
		}
		dst[i] = v
	}
}
