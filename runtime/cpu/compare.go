package cpu

// Equal is dst[i] = a[i] == b[i], where an operand of one element stands for
// all.
func Equal[T Number | bool | string](dst []bool, a, b []T) {
	switch {
	case len(b) == 1:
		equal1(dst, a, b[0])
	case len(a) == 1:
		equal1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] == b[i]
		}
	}
}

func equal1[T comparable](dst []bool, a []T, s T) {
	for i, v := range a[:len(dst)] {
		dst[i] = v == s
	}
}

// Less is dst[i] = a[i] < b[i], where an operand of one element stands for all.
func Less[T Number](dst []bool, a, b []T) {
	switch {
	case len(b) == 1:
		less1(dst, a, b[0])
	case len(a) == 1:
		greater1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] < b[i]
		}
	}
}

// Greater is [Less] with its operands swapped.
func Greater[T Number](dst []bool, a, b []T) { Less(dst, b, a) }

// LessOrEqual is dst[i] = a[i] <= b[i], where an operand of one element stands
// for all.
func LessOrEqual[T Number](dst []bool, a, b []T) {
	switch {
	case len(b) == 1:
		lessOrEqual1(dst, a, b[0])
	case len(a) == 1:
		greaterOrEqual1(dst, b, a[0])
	default:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] <= b[i]
		}
	}
}

// GreaterOrEqual is [LessOrEqual] with its operands swapped.
func GreaterOrEqual[T Number](dst []bool, a, b []T) { LessOrEqual(dst, b, a) }

func less1[T Number](dst []bool, a []T, s T) {
	for i, v := range a[:len(dst)] {
		dst[i] = v < s
	}
}

func greater1[T Number](dst []bool, a []T, s T) {
	for i, v := range a[:len(dst)] {
		dst[i] = v > s
	}
}

func lessOrEqual1[T Number](dst []bool, a []T, s T) {
	for i, v := range a[:len(dst)] {
		dst[i] = v <= s
	}
}

func greaterOrEqual1[T Number](dst []bool, a []T, s T) {
	for i, v := range a[:len(dst)] {
		dst[i] = v >= s
	}
}
