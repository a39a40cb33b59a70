package cpu

// PackConvAdjacent32Size returns how many floats [PackConvAdjacent32] writes.
func PackConvAdjacent32Size(filters, depth, lines, taps, step, places int) int {
	return PackConv32Size(filters*places, depth, lines*adjacentTaps(taps, step, places), 1)
}

// adjacentTaps returns how many taps of a line adjacent windows cover together.
func adjacentTaps(taps, step, places int) int { return taps + (places-1)*step }

// PackConvAdjacent32 packs filters, [filters, depth, lines, taps], for [ConvLastAdjacent32]: for each of a
// number of places of a line, step apart, the filters among zeros. The result is filters of one window that
// covers all these places.
func PackConvAdjacent32(dst, w []float32, filters, depth, lines, taps, step, places int) {
	n := adjacentTaps(taps, step, places)
	size := filters * depth * lines
	wide := scratch.get(places * size * n)
	clear(wide)
	for p := range places {
		copyRows(wide[p*size*n+p*step:], w, taps, size, n, taps)
	}
	PackConv32(dst, wide, filters*places, depth, lines*n, 1)
	scratch.put(wide)
}

// ConvLastAdjacent32 is [ConvLast32] without groups or a residual for few filters, which would leave most of a
// vector empty. It computes several places of a line as if they were filters of one place.
// [PackConvAdjacent32] has packed the filters; on the last axis they are adjacent. The bits of the result are
// those of ConvLast32.
func ConvLastAdjacent32(dst, x, w, bias []float32, s ConvShape, places int, act Act) {
	if len(dst) == 0 {
		return
	}
	last, cols := len(s.Window.Out)-1, s.Filters*places
	width := s.Window.Out[last]
	wide := (width + places - 1) / places
	lines := len(dst) / (width * s.Filters)
	biases, plain := repeated(bias, places), s.Window
	out := dst
	if wide*places > width {
		out = scratch.get(lines * wide * cols)
	}
	var sizes [3][maxRank]int
	s.Window.Kernel = withLast(&sizes[0], s.Window.Kernel, adjacentTaps(s.Window.Kernel[last], s.Window.Stride[last], places))
	s.Window.Stride = withLast(&sizes[1], s.Window.Stride, s.Window.Stride[last]*places)
	s.Window.Out = withLast(&sizes[2], s.Window.Out, wide)
	convLast32(out, x, w, biases, nil, ConvShape{Images: s.Images, Channels: s.Channels, Filters: cols, Groups: 1, Window: s.Window}, act, cols)
	if wide*places > width {
		copyRows(dst, out, width*s.Filters, lines, width*s.Filters, wide*cols)
		scratch.put(out)
	}
	scratch.put(biases)
	if !AllFinite(dst) { // NaN if a zero between filters was multiplied with an input that is not finite
		convLastUnspread(dst, x, w, bias, ConvShape{Images: s.Images, Channels: s.Channels, Filters: s.Filters, Window: plain}, places, act)
	}
}

// convLastUnspread computes [ConvLastAdjacent32] as [ConvLast32], without zeros between filters.
func convLastUnspread(dst, x, w, bias []float32, s ConvShape, places int, act Act) {
	last := len(s.Window.Kernel) - 1
	lines := volume(s.Window.Kernel[:last])
	own := scratch.get(PackConv32Size(s.Filters, s.Channels, lines*s.Window.Kernel[last], 1))
	unpackAdjacent(own, w, s.Channels, s.Window.Kernel[last], s.Window.Stride[last], places)
	ConvLast32(dst, x, own, bias, nil, ConvShape{Images: s.Images, Channels: s.Channels, Filters: s.Filters, Groups: 1, Window: s.Window}, act)
	scratch.put(own)
}

// unpackAdjacent converts the filters of the first place from the layout of [PackConvAdjacent32] to that of
// [PackConv32]: their columns are the first, and their taps the first of each line. The columns after them
// are ignored.
func unpackAdjacent(dst, w []float32, depth, taps, step, places int) {
	n := taps * depth * panel
	copyRows(dst, w, n, len(dst)/n, n, adjacentTaps(taps, step, places)*depth*panel)
}

// repeated returns x repeated a number of times, in memory of scratch, or nil.
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

// withLast returns a list of sizes with another last one.
func withLast(own *[maxRank]int, sizes []int, last int) []int {
	n := copy(own[:], sizes)
	own[n-1] = last
	return own[:n]
}
