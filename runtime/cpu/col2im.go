package cpu

// Col2Im adds columns of blocks to the images from which they were taken. x is [images, ∏ Kernel, ∏ Out],
// dst is [images, In…]: Kernel is the shape of a block, Out the number of blocks along each axis.
func Col2Im[T Number](dst, x []T, images int, win Window) {
	if len(x) != images*Extent(win.Kernel, "Col2Im")*Extent(win.Out, "Col2Im") {
		fail("Col2Im", "%s blocks of shape %s are not %d elements", listed(win.Out), listed(win.Kernel), len(x))
	}
	clear(dst)
	eachBlockRow(dst, x, images, win, addSpaced[T])
}

// Col2ImGrad is the inverse of [Col2Im]: it copies the columns of blocks of the images dy to dst.
func Col2ImGrad[T Float](dst, dy []T, images int, win Window) {
	eachBlockRow(dy, dst, images, win, takeSpaced[T])
}

// eachBlockRow calls do with each row of one element of each block of n images, and with the corresponding row of the
// image, or nil outside of it.
func eachBlockRow[T any](images, cols []T, n int, win Window, do func(line, row []T, first, step int)) {
	size, block, count := win.In, win.Kernel, win.Out
	plane, blocks := volume(size), volume(count)
	last := len(size) - 1
	var step, k, at [maxRank]int
	strides(step[:], size)
	for i := range n {
		img := images[i*plane:][:plane]
		clear(k[:len(block)])
		for range volume(block) {
			clear(at[:len(count)])
			for range blocks / max(count[last], 1) {
				base, inside := 0, true
				for a := range last {
					i := at[a]*win.Stride[a] + k[a]*win.Dilation[a] - win.Pad[a]
					inside = inside && uint(i) < uint(size[a])
					base += i * step[a]
				}
				var line []T
				if inside {
					line = img[base:][:size[last]]
				}
				do(line, cols[:count[last]], k[last]*win.Dilation[last]-win.Pad[last], win.Stride[last])
				cols = cols[count[last]:]
				stepIndex(at[:last], count)
			}
			stepIndex(k[:last+1], block)
		}
	}
}

// addSpaced adds the elements of x to places of dst that are a step apart, if they exist.
func addSpaced[T Number](dst, x []T, first, step int) {
	for _, v := range x {
		if uint(first) < uint(len(dst)) {
			dst[first] += v
		}
		first += step
	}
}

// takeSpaced is the inverse: it fills x, with zeros for places that do not exist.
func takeSpaced[T any](dst, x []T, first, step int) {
	clear(x)
	for i := range x {
		if uint(first) < uint(len(dst)) {
			x[i] = dst[first]
		}
		first += step
	}
}

// stepIndex steps to the next index of a tensor of the given shape.
func stepIndex(index, shape []int) {
	for k := len(index) - 1; k >= 0; k-- {
		if index[k]++; index[k] < shape[k] {
			return
		}
		index[k] = 0
	}
}

// Col2ImChannels returns the number of channels of an input with the given rows and columns, from the shape
// and the number of blocks.
func Col2ImChannels(block, count []int, rows, cols int) int {
	b := Extent(block, "Col2Im")
	if b == 0 || rows%b != 0 || Extent(count, "Col2Im") != cols {
		fail("Col2Im", "blocks of shape %s, %s of them, are not %d by %d", listed(block), listed(count), rows, cols)
	}
	return rows / b
}
