package cpu

// Trilu keeps the upper or the lower triangle of each matrix of x, whose last axes are [rows, cols], and
// clears the rest. The triangle includes the diagonal k steps right of the main one; without k it is 0.
func Trilu[T any](dst, x []T, k []int64, rows, cols int, upper bool) {
	if rows*cols == 0 {
		return
	}
	diagonal := 0
	if len(k) > 0 {
		diagonal = int(min(max(k[0], int64(-rows)), int64(cols)))
	}
	var zero T
	for at := 0; at < len(dst); at += cols {
		d, row := dst[at:at+cols], x[at:at+cols]
		first := at/cols%rows + diagonal // column on the diagonal
		if upper {
			n := min(max(first, 0), cols)
			fill(d[:n], zero)
			copy(d[n:], row[n:])
			continue
		}
		n := min(max(first+1, 0), cols)
		copy(d[:n], row[:n])
		fill(d[n:], zero)
	}
}

// EyeLike is 1 on the diagonal k steps right of the main one of a matrix with
// the given number of columns, and 0 elsewhere.
func EyeLike[T Number](dst []T, cols, k int) {
	fill(dst, 0)
	if cols == 0 {
		return
	}
	k = min(max(k, -len(dst)), cols)
	for i := range len(dst) / cols {
		if j := i + k; j >= 0 && j < cols {
			dst[i*cols+j] = 1
		}
	}
}
