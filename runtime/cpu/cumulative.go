package cpu

// CumSum adds up along an axis:
//
//	dst[i] = x[0] + … + x[i]
//
// without x[i] if exclusive is set, and from the other end if reverse is.
func CumSum[T Number, I Index](dst, x []T, axis []I, shape []int, exclusive, reverse bool) {
	outer, n, inner := splitAt("CumSum", axis, shape)
	cumulate(dst, x, cumulation{outer, n, inner, exclusive, reverse}, 0, Add[T])
}

// CumProd multiplies along an axis, like [CumSum].
func CumProd[T Number, I Index](dst, x []T, axis []I, shape []int, exclusive, reverse bool) {
	outer, n, inner := splitAt("CumProd", axis, shape)
	cumulate(dst, x, cumulation{outer, n, inner, exclusive, reverse}, 1, Mul[T])
}

// cumulation is the sizes before, of and after an axis, and the attributes of [CumSum].
type cumulation struct {
	outer, n, inner    int
	exclusive, reverse bool
}

// cumulate combines each row along the axis of n rows with the result of the rows before it, which is none
// for the first.
func cumulate[T Number](dst, x []T, c cumulation, none T, join func(dst, a, b []T)) {
	step := c.inner
	if c.reverse {
		step = -c.inner
	}
	for o := range c.outer {
		at := o * c.n * c.inner
		if c.reverse {
			at += (c.n - 1) * c.inner
		}
		for k := range c.n {
			row, from := dst[at:at+c.inner], at
			if c.exclusive {
				from -= step
			}
			switch {
			case k > 0:
				join(row, dst[at-step:at-step+c.inner], x[from:from+c.inner])
			case c.exclusive:
				fill(row, none)
			default:
				copy(row, x[at:at+c.inner])
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
