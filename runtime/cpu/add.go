package cpu

// Add is
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// where an operand of one element stands for all.
func Add[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(add32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	addRow(dst, a, b)
}

// addRow is [Add] on one thread.
func addRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		add32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] + b[i&db]
	}
}

func add32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecAddS32(dst, a, b[0])
	case len(a) == 1:
		VecAddS32(dst, b, a[0])
	default:
		VecAdd32(dst, a, b)
	}
}
