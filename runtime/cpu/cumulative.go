package cpu

// CumSum adds up along an axis:
//
//	dst[i] = x[0] + … + x[i]
//
// without x[i] if exclusive is set, and from the other end if reverse is.
func CumSum[T Number, I Index](dst, x []T, axis []I, shape []int, exclusive, reverse bool) {
	outer, n, inner := splitAt("CumSum", axis, shape)
	cumulate(dst, x, outer, n, inner, exclusive, reverse, 0, Add[T])
}

// CumProd multiplies along an axis, like [CumSum].
func CumProd[T Number, I Index](dst, x []T, axis []I, shape []int, exclusive, reverse bool) {
	outer, n, inner := splitAt("CumProd", axis, shape)
	cumulate(dst, x, outer, n, inner, exclusive, reverse, 1, Mul[T])
}

// cumulate combines each row along the axis of n rows with the result of the rows before it, which is none
// for the first.
func cumulate[T Number](dst, x []T, outer, n, inner int, exclusive, reverse bool, none T, join func(dst, a, b []T)) {
	step := inner
	if reverse {
		step = -inner
	}
	for o := range outer {
		at := o * n * inner
		if reverse {
			at += (n - 1) * inner
		}
		for k := range n {
			row, from := dst[at:at+inner], at
			if exclusive {
				from -= step
			}
			switch {
			case k > 0:
				join(row, dst[at-step:at-step+inner], x[from:from+inner])
			case exclusive:
				fill(row, none)
			default:
				copy(row, x[at:at+inner])
			}
			at += step
		}
	}
}

// splitAt returns the sizes before, of and after an axis that is given by data.
func splitAt[I Index](kernel string, axis []I, shape []int) (outer, n, inner int) {
	a := toInt(axis[0])
	if a < 0 {
		a += len(shape)
	}
	if a < 0 || a >= len(shape) {
		failAxis(kernel, toInt(axis[0]), len(shape))
	}
	outer, inner = 1, 1
	for _, d := range shape[:a] {
		outer *= d
	}
	for _, d := range shape[a+1:] {
		inner *= d
	}
	return outer, shape[a], inner
}
