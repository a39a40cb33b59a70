package cpu

// Add is
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// where an operand of one element stands for all.
func Add[T Number](dst, a, b []T) {
	switch {
	case len(b) == 1:
		s := b[0]
		for i, v := range a[:len(dst)] {
			dst[i] = v + s
		}
	case len(a) == 1:
		s := a[0]
		for i, v := range b[:len(dst)] {
			dst[i] = s + v
		}
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	}
}
