package cpu

// Col2Im adds columns of blocks up to the images that they were taken from. x
// is [images, ∏ block, ∏ count], dst is [images, size…]: block is the shape of a
// block, count how many there are along each axis, before what was padded.
func Col2Im[T Number](dst, x []T, images int, size, block, count, stride, dilation, before []int) {
	if len(x) != images*Extent(block, "Col2Im")*Extent(count, "Col2Im") {
		fail("Col2Im", "%v blocks of shape %v are not %d elements", count, block, len(x))
	}
	clear(dst)
	plane, blocks := volume(size), volume(count)
	last := len(size) - 1
	var step, k, at [maxRank]int
	strides(step[:], size)
	for n := range images {
		img := dst[n*plane:][:plane]
		clear(k[:len(block)])
		for range volume(block) { // one element of every block
			clear(at[:len(count)])
			for range blocks / max(count[last], 1) { // one row of blocks
				base, inside := 0, true
				for a := range last {
					i := at[a]*stride[a] + k[a]*dilation[a] - before[a]
					inside = inside && uint(i) < uint(size[a])
					base += i * step[a]
				}
				if inside {
					addSpaced(img[base:][:size[last]], x[:count[last]], k[last]*dilation[last]-before[last], stride[last])
				}
				x = x[count[last]:]
				stepIndex(at[:last], count)
			}
			stepIndex(k[:last+1], block)
		}
	}
}

// addSpaced adds the elements of x to places of dst that are a step apart,
// where there are such places.
func addSpaced[T Number](dst, x []T, first, step int) {
	for _, v := range x {
		if uint(first) < uint(len(dst)) {
			dst[first] += v
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

// Col2ImChannels is the number of channels that an input of the given rows and
// columns has when a block and the number of blocks are known.
func Col2ImChannels(block, count []int, rows, cols int) int {
	b := Extent(block, "Col2Im")
	if b == 0 || rows%b != 0 || Extent(count, "Col2Im") != cols {
		fail("Col2Im", "blocks of shape %v, %v of them, are not %d by %d", block, count, rows, cols)
	}
	return rows / b
}
