package cpu

// CopyRows copies a block of columns of one matrix into another, at columns
// to and from:
//
//	for i := range rows {
//		copy(dst[i, to:to+n], x[i, from:from+n])
//	}
func CopyRows[T any](dst, x []T, rows, n, dstCols, to, xCols, from int) {
	if len(dst) != rows*dstCols || len(x) != rows*xCols {
		fail("CopyRows", "got %d and %d elements, want %d rows of %d and of %d", len(dst), len(x), rows, dstCols, xCols)
	}
	if n == dstCols && n == xCols {
		copy(dst, x)
		return
	}
	if n == 1 {
		for i := range rows {
			dst[i*dstCols+to] = x[i*xCols+from]
		}
		return
	}
	if d, ok := any(dst).([]float32); ok && n > 0 && rows > 0 {
		copyRows(d[to:], any(x).([]float32)[from:], n, rows, dstCols, xCols) // a call for each row takes longer than to copy it
		return
	}
	for i := range rows {
		copy(dst[i*dstCols+to:][:n], x[i*xCols+from:][:n])
	}
}

// CopyHead copies the first elements of x, as many as dst has.
func CopyHead[T any](dst, x []T) { copy(dst, x[:len(dst)]) }
