package cpu

// Max is dst[i] = max(a[i], b[i]), where an operand of one element stands for
// all. A NaN in either gives NaN.
func Max[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(max32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	maxRow(dst, a, b)
}

// maxRow is [Max] on one thread.
func maxRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		max32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = max(a[i&da], b[i&db])
	}
}

func max32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecMaxS32(dst, a, b[0])
	case len(a) == 1:
		VecMaxS32(dst, b, a[0])
	default:
		VecMax32(dst, a, b)
	}
}

// Min is dst[i] = min(a[i], b[i]), where an operand of one element stands for
// all. A NaN in either gives NaN.
func Min[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		vec2(min32, d, any(a).([]float32), any(b).([]float32))
		return
	}
	minRow(dst, a, b)
}

// minRow is [Min] on one thread.
func minRow[T Number](dst, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		min32(d, any(a).([]float32), any(b).([]float32))
		return
	}
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = min(a[i&da], b[i&db])
	}
}

func min32(dst, a, b []float32) {
	switch {
	case len(b) == 1:
		VecMinS32(dst, a, b[0])
	case len(a) == 1:
		VecMinS32(dst, b, a[0])
	default:
		VecMin32(dst, a, b)
	}
}

// Clip is
//
//	for i, v := range x {
//		dst[i] = min(max(v, low), high)
//	}
//
// where low and high have one element each, or none if they are omitted.
func Clip[T Number](dst, x, low, high []T) {
	switch {
	case len(low) == 0 && len(high) == 0:
		copy(dst, x)
	case len(high) == 0:
		Max(dst, x, low[:1])
	case len(low) == 0:
		Min(dst, x, high[:1])
	default:
		Max(dst, x, low[:1])
		Min(dst, dst, high[:1])
	}
}
