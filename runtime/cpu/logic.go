package cpu

// Not is dst[i] = !x[i].
func Not(dst, x []bool) {
	for i, v := range x[:len(dst)] {
		dst[i] = !v
	}
}

// And is dst[i] = a[i] && b[i], where an operand of one element stands for all.
func And(dst, a, b []bool) {
	switch {
	case len(b) == 1:
		and1(dst, a, b[0])
	case len(a) == 1:
		and1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] && b[i]
		}
	}
}

func and1(dst, a []bool, s bool) {
	for i, v := range a[:len(dst)] {
		dst[i] = v && s
	}
}

// Or is dst[i] = a[i] || b[i], where an operand of one element stands for all.
func Or(dst, a, b []bool) {
	switch {
	case len(b) == 1:
		or1(dst, a, b[0])
	case len(a) == 1:
		or1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] || b[i]
		}
	}
}

func or1(dst, a []bool, s bool) {
	for i, v := range a[:len(dst)] {
		dst[i] = v || s
	}
}

// Xor is dst[i] = a[i] != b[i], where an operand of one element stands for all.
func Xor(dst, a, b []bool) {
	switch {
	case len(b) == 1:
		xor1(dst, a, b[0])
	case len(a) == 1:
		xor1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] != b[i]
		}
	}
}

func xor1(dst, a []bool, s bool) {
	for i, v := range a[:len(dst)] {
		dst[i] = v != s
	}
}
