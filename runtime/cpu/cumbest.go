package cpu

// CumMax is the largest element so far along an axis, from the other end if reverse is set. After a NaN all
// are NaN.
func CumMax[T Number, I Index](dst, x []T, axis []I, shape []int, reverse bool) {
	outer, n, inner := splitAt("CumMax", axis, shape)
	cumulate(dst, x, cumulation{outer: outer, n: n, inner: inner, reverse: reverse}, 0, Max[T])
}

// CumMin is the smallest element so far, like [CumMax].
func CumMin[T Number, I Index](dst, x []T, axis []I, shape []int, reverse bool) {
	outer, n, inner := splitAt("CumMin", axis, shape)
	cumulate(dst, x, cumulation{outer: outer, n: n, inner: inner, reverse: reverse}, 0, Min[T])
}

// CumBestGrad is the gradient of [CumMax] and [CumMin], whose result is y: dy[i] is added for the last x up
// to i that is equal to y[i], or for the first NaN.
func CumBestGrad[T Float, I Index](dst, dy, x, y []T, axis []I, shape []int, reverse bool) {
	outer, n, inner := splitAt("CumBestGrad", axis, shape)
	clear(dst)
	for line := range outer * inner {
		at, step := line/inner*n*inner+line%inner, inner
		if reverse {
			at, step = at+(n-1)*inner, -inner
		}
		best := at
		for range n {
			if x[at] == y[at] || x[at] != x[at] && x[best] == x[best] {
				best = at
			}
			dst[best] += dy[at]
			at += step
		}
	}
}
