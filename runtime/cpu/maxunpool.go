package cpu

// MaxUnpool puts the elements of x where they stood before they were pooled
// and zeros elsewhere. The indices are those of a tensor of the given shape,
// which lies in the first corner of dst, whose shape is size.
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

// moved is where element i of a tensor of the given shape stands in one of
// another size.
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

// MaxUnpoolGrad is the gradient of [MaxUnpool]: dst gets the elements of dy,
// whose shape is size, at the places that the indices name.
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
