package cpu

// Gather copies rows of x along the middle one of three axes; a negative index counts from the end. x is
// [outer, axis, inner].
//
//	dst[o, k, i] = x[o, index[k], i]
func Gather[T any, I Index](dst, x []T, index []I, outer, axis, inner int) {
	for o := range outer {
		rows := x[o*axis*inner:][:axis*inner]
		out := dst[o*len(index)*inner:][:len(index)*inner]
		if inner == 1 {
			for k, i := range index {
				out[k] = rows[wrap("Gather", toInt(i), axis)]
			}
			continue
		}
		for k, i := range index {
			copy(out[k*inner:][:inner], rows[wrap("Gather", toInt(i), axis)*inner:])
		}
	}
}

// wrap converts an index to 0 ≤ index < n, where negative ones count from the end.
func wrap(kernel string, i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	if i < 0 && i+n >= 0 {
		return i + n
	}
	badIndex(kernel, i, n)
	return 0
}

func badIndex(kernel string, i, n int) {
	fail(kernel, "index %d is out of range for an axis of size %d", i, n)
}
