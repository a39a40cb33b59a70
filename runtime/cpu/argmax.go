package cpu

// ArgMax is the index of the largest element along the middle axis of x, which is [outer, n, inner]: the
// first of equal ones, or the last if last is set. NaN is larger than all numbers.
func ArgMax[T Number](dst []int64, x []T, outer, n, inner int, last bool) {
	if len(dst) > 0 && n == 0 {
		fail("ArgMax", "there is no largest of no elements")
	}
	for o := range outer {
		for i := range inner {
			at, best := 0, x[o*n*inner+i]
			for k := 1; k < n; k++ {
				v := x[(o*n+k)*inner+i]
				if v > best || v != v && best == best || last && (v == best || v != v) {
					at, best = k, v
				}
			}
			dst[o*inner+i] = int64(at)
		}
	}
}

// ArgMin is the index of the smallest element, see [ArgMax].
func ArgMin[T Number](dst []int64, x []T, outer, n, inner int, last bool) {
	if len(dst) > 0 && n == 0 {
		fail("ArgMin", "there is no smallest of no elements")
	}
	for o := range outer {
		for i := range inner {
			at, best := 0, x[o*n*inner+i]
			for k := 1; k < n; k++ {
				v := x[(o*n+k)*inner+i]
				if v < best || v != v && best == best || last && (v == best || v != v) {
					at, best = k, v
				}
			}
			dst[o*inner+i] = int64(at)
		}
	}
}
