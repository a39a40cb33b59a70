package cpu

// GatherND copies slices of x. Rows of k indices give their places, in each batch separately. shape is that
// of a batch of x; a batch has n rows of indices.
//
//	dst[b, i] = x[b, index[b, i, 0], …, index[b, i, k-1]]
func GatherND[T any, I Index](dst, x []T, index []I, batches, n, k int, shape []int) {
	var step [maxRank]int
	strides(step[:], shape)
	whole, part := volume(shape), volume(shape[k:])
	for b := range batches {
		batch := x[b*whole:][:whole]
		for i := range n {
			at := placeND("GatherND", index[(b*n+i)*k:][:k], shape, step[:])
			copy(dst[(b*n+i)*part:][:part], batch[at:])
		}
	}
}

// placeND returns the place of the slice that a row of indices selects.
func placeND[I Index](kernel string, index []I, shape, step []int) int {
	at := 0
	for a, i := range index {
		at += wrap(kernel, toInt(i), shape[a]) * step[a]
	}
	return at
}

// volume returns the number of elements of a shape.
func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
