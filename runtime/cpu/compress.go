package cpu

// CompressCount returns the number of the first n conditions that are true.
func CompressCount(cond []bool, n int) int {
	count := 0
	for _, c := range cond[:min(n, len(cond))] {
		if c {
			count++
		}
	}
	return count
}

// Compress keeps the rows along the middle one of three axes whose condition is true. Rows without a
// condition are dropped. x is [outer, n, inner].
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
