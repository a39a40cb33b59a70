package cpu

// MaxUnpool writes the elements of x to the places from which they were pooled, and zeros elsewhere. The
// indices are those of a tensor of the given shape, which is the first corner of dst. The shape of dst is
// size.
func MaxUnpool[T Float](dst, x []T, index []int64, shape, size []int) {
	clear(dst)
	same := true
	for i, n := range shape {
		same = same && n == size[i]
	}
	total := volume(shape)
	for i, k := range index {
		at := wrap("MaxUnpool", toInt(k), total)
		if !same {
			at = moved(at, shape, size)
		}
		dst[at] = x[i]
	}
}

// moved returns the place of element i of a tensor of the given shape in one of another size.
func moved(i int, shape, size []int) int {
	at, step := 0, 1
	for k := len(shape) - 1; k >= 0; k-- {
		r := i % shape[k]
		if r >= size[k] {
			badIndex("MaxUnpool", r, size[k])
		}
		at += r * step
		step *= size[k]
		i /= shape[k]
	}
	return at
}

// MaxUnpoolGrad is the gradient of [MaxUnpool]: it copies the elements of dy, whose shape is size, at the
// places of the indices to dst.
func MaxUnpoolGrad[T Float](dst, dy []T, index []int64, shape, size []int) {
	same := true
	for i, n := range shape {
		same = same && n == size[i]
	}
	total := volume(shape)
	for i, k := range index {
		at := wrap("MaxUnpoolGrad", toInt(k), total)
		if !same {
			at = moved(at, shape, size)
		}
		dst[i] = dy[at]
	}
}
