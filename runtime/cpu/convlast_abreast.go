package cpu

// PackConvAbreast32Size returns how many floats [PackConvAbreast32] writes.
func PackConvAbreast32Size(filters, depth, lines, taps, step, places int) int {
	return PackConv32Size(filters*places, depth, lines*abreastTaps(taps, step, places), 1)
}

// abreastTaps is how much of a line windows see that are abreast.
func abreastTaps(taps, step, places int) int { return taps + (places-1)*step }

// PackConvAbreast32 brings filters, [filters, depth, lines, taps], into the layout that [ConvLastAbreast32] reads: for each of
// so many places of a line, step apart, the filters among zeros. They are filters of one window that sees all of these places.
func PackConvAbreast32(dst, w []float32, filters, depth, lines, taps, step, places int) {
	n := abreastTaps(taps, step, places)
	size := filters * depth * lines
	wide := scratch.get(places * size * n)
	clear(wide)
	for p := range places {
		copyRows(wide[p*size*n+p*step:], w, taps, size, n, taps)
	}
	PackConv32(dst, wide, filters*places, depth, lines*n, 1)
	scratch.put(wide)
}

// ConvLastAbreast32 is [ConvLast32] without groups or a residual for few filters, which would leave most of a vector empty: it
// computes so many places of a line as if they were filters of one place. Filters are packed by [PackConvAbreast32], and next
// to each other on the last axis. Results have the bits of ConvLast32's.
func ConvLastAbreast32(dst, x, w, bias []float32, images, channels, filters, places int, win Window, act Act) {
	if len(dst) == 0 {
		return
	}
	last, cols := len(win.Out)-1, filters*places
	width := win.Out[last]
	wide := (width + places - 1) / places
	lines := len(dst) / (width * filters)
	biases, plain := repeated(bias, places), win
	out := dst
	if wide*places > width {
		out = scratch.get(lines * wide * cols)
	}
	var sizes [3][maxRank]int
	win.Kernel = changed(&sizes[0], win.Kernel, abreastTaps(win.Kernel[last], win.Stride[last], places))
	win.Stride = changed(&sizes[1], win.Stride, win.Stride[last]*places)
	win.Out = changed(&sizes[2], win.Out, wide)
	convLast32(out, x, w, biases, nil, images, channels, cols, 1, win, act, cols)
	if wide*places > width {
		copyRows(dst, out, width*filters, lines, width*filters, wide*cols)
		scratch.put(out)
	}
	scratch.put(biases)
	if !AllFinite(dst) { // a zero between filters may have met what is not finite: their product is NaN
		convLastUnspread(dst, x, w, bias, images, channels, filters, places, plain, act)
	}
}

// convLastUnspread computes what [ConvLastAbreast32] does as [ConvLast32], without zeros between filters.
func convLastUnspread(dst, x, w, bias []float32, images, channels, filters, places int, win Window, act Act) {
	last := len(win.Kernel) - 1
	lines := volume(win.Kernel[:last])
	own := scratch.get(PackConv32Size(filters, channels, lines*win.Kernel[last], 1))
	unpackAbreast(own, w, channels, win.Kernel[last], win.Stride[last], places)
	ConvLast32(dst, x, own, bias, nil, images, channels, filters, 1, win, act)
	scratch.put(own)
}

// unpackAbreast takes the filters of the first place out of what [PackConvAbreast32] has packed, as [PackConv32] packs them:
// their columns are the first, and their taps the first of each line. What is in the columns after them is of no account.
func unpackAbreast(dst, w []float32, depth, taps, step, places int) {
	n := taps * depth * panel
	copyRows(dst, w, n, len(dst)/n, n, abreastTaps(taps, step, places)*depth*panel)
}

// repeated is x so many times, in memory of scratch, or nil.
func repeated(x []float32, times int) []float32 {
	if x == nil {
		return nil
	}
	all := scratch.get(len(x) * times)
	for i := range times {
		copy(row(all, i, len(x)), x)
	}
	return all
}

// changed is a list of sizes with another last one.
func changed(own *[maxRank]int, sizes []int, last int) []int {
	n := copy(own[:], sizes)
	own[n-1] = last
	return own[:n]
}
