package cpu

// Sub is dst[i] = a[i] - b[i], where an operand of one element stands for all.
func Sub[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(sub32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	subRow(dst, a, b)
}

// subRow is [Sub] on one thread.
func subRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		sub32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] - b[i&db]
	}
}

func sub32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecSubS32(dst, a, b[0])
	case len(a) == 1:
		VecRSubS32(dst, b, a[0])
	default:
		VecSub32(dst, a, b)
	}
}

// Mul is dst[i] = a[i] · b[i], where an operand of one element stands for all.
func Mul[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(mul32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	mulRow(dst, a, b)
}

// mulRow is [Mul] on one thread.
func mulRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		mul32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] * b[i&db]
	}
}

func mul32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecMulS32(dst, a, b[0])
	case len(a) == 1:
		VecMulS32(dst, b, a[0])
	default:
		VecMul32(dst, a, b)
	}
}

// Div is dst[i] = a[i] / b[i], where an operand of one element stands for all. Integers are rounded towards
// 0; it panics with an [Error] if an integer is divided by 0.
func Div[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(div32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	divRow(dst, a, b)
}

// divRow is [Div] on one thread.
func divRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		div32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	failIfZero("Div", b)
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] / b[i&db]
	}
}

func div32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecDivS32(dst, a, b[0])
	case len(a) == 1:
		VecRDivS32(dst, b, a[0])
	default:
		VecDiv32(dst, a, b)
	}
}

// failIfZero panics if a divisor is the integer 0.
func failIfZero[T Number](kernel string, b []T) {
	if isFloat[T]() {
		return
	}
	for _, v := range b {
		if v == 0 {
			fail(kernel, "integer division by zero")
		}
	}
}

// isFloat reports whether T is a float type.
func isFloat[T Number]() bool {
	var one T = 1
	return one/2 != 0
}
