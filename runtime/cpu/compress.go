package cpu

// CompressCount is how many of the first n conditions hold.
func CompressCount(cond []bool, n int) int {
	count := 0
	for _, c := range cond[:min(n, len(cond))] {
		if c {
			count++
		}
	}
	return count
}

// Compress keeps the rows for which the condition holds along the middle one
// of three axes; those that have none are dropped. x is [outer, n, inner].
func Compress[T any](dst, x []T, cond []bool, outer, n, inner int) {
	cond = cond[:min(n, len(cond))]
	d := 0
	for o := range outer {
		for i, c := range cond {
			if c {
				d += copy(dst[d:d+inner], x[(o*n+i)*inner:])
			}
		}
	}
}
