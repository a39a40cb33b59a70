package cpu

// PackConvTranspose32Size returns how many floats [PackConvTranspose32] writes.
func PackConvTranspose32Size(channels, filters, taps int) int {
	return PackB32Size(channels, taps*filters)
}

// PackConvTranspose32 packs filters, [channels, filters, taps], for [ConvTransposeLast32]. It is the result
// of [PackB32] for a matrix with a row for each channel and a column for each tap and filter, in this order.
func PackConvTranspose32(dst, w []float32, channels, filters, taps int) {
	rows := scratch.get(channels * filters * taps)
	for c := range channels {
		at := c * filters * taps
		transpose(rows[at:], w[at:], filters, taps, filters, taps)
	}
	PackB32(dst, rows, channels, taps*filters)
	scratch.put(rows)
}

// ConvTransposeLast32 is [ConvTranspose] for images with the channels last, and one group.
// [PackConvTranspose32] has packed the filters.
func ConvTransposeLast32(dst, x, w, bias []float32, images, channels, filters int, win Window) {
	if len(dst) == 0 {
		return
	}
	if volume(win.Out) == 0 { // empty images leave only the bias
		repeatRow(dst, bias)
		return
	}
	t := spreaders.get()
	*t = spreader{filters: filters, axes: len(win.In), lines: volume(win.In[:len(win.In)-1])}
	t.window(win)
	columns, places := volume(win.Kernel)*filters, volume(win.Out)
	t.cols = scratch.get(places * columns)
	own := scratch.get(columns)
	clear(own)
	for k := 0; k < columns && bias != nil; k += filters {
		copy(own[k:k+filters], bias)
	}
	t.bias = own[:filters]
	var wide []float32
	if t.apart {
		wide = own
	}
	size := volume(win.In) * filters
	for i := range images {
		MatMulPacked32(t.cols, x[i*places*channels:][:places*channels], w, wide, places, channels, columns, ActNone)
		t.dst = dst[i*size:][:size]
		parallel(t.lines, size/8, t)
	}
	scratch.put(own)
	scratch.put(t.cols)
	*t = spreader{}
	spreaders.put(t)
}

// repeatRow copies row to each row of dst, or clears dst if row is nil.
func repeatRow(dst, row []float32) {
	clear(dst)
	for len(row) > 0 && len(dst) > 0 {
		dst = dst[copy(dst, row):]
	}
}

var spreaders freelist[spreader]

// spreader is the task of summing the products of the taps and the places of an image. A turn is a line of
// the result.
type spreader struct {
	dst, cols, bias []float32
	filters         int
	axes, lines     int
	apart           bool // each pixel of the result comes from at most one tap

	in, out, kernel, stride, dilation, pad [maxRank]int
}

func (t *spreader) window(w Window) {
	t.apart = true
	for d := range w.In {
		t.in[d], t.out[d], t.kernel[d] = w.In[d], w.Out[d], w.Kernel[d]
		t.stride[d], t.dilation[d], t.pad[d] = w.Stride[d], w.Dilation[d], w.Pad[d]
		t.apart = t.apart && w.Stride[d] == w.Kernel[d] && w.Dilation[d] == 1 && w.Pad[d] == 0 && w.In[d] == w.Out[d]*w.Kernel[d]
	}
}

func (t *spreader) run(line int) {
	last := t.axes - 1
	width := t.in[last] * t.filters
	d := t.dst[line*width:][:width]
	for i := 0; i < width && !t.apart; i += t.filters {
		copy(d[i:i+t.filters], t.bias)
	}
	taps := 1
	for d := range last {
		taps *= t.kernel[d]
	}
	for tap := range taps {
		if from, ok := t.meets(line, tap); ok {
			t.add(d, from, tap*t.kernel[last])
		}
	}
}

// meets returns the line of x that contributes to a line of the result by a tap of the outer axes, if there
// is one.
func (t *spreader) meets(line, tap int) (from int, ok bool) {
	step := 1
	for d := t.axes - 2; d >= 0; d-- {
		at := line%t.in[d] + t.pad[d] - tap%t.kernel[d]*t.dilation[d]
		if at < 0 || at%t.stride[d] != 0 || at/t.stride[d] >= t.out[d] {
			return 0, false
		}
		from += at / t.stride[d] * step
		step *= t.out[d]
		line /= t.in[d]
		tap /= t.kernel[d]
	}
	return from, true
}

// add adds to a line the products of a line of x with the taps from first on.
func (t *spreader) add(dst []float32, from, first int) {
	last, n := t.axes-1, t.filters
	columns := n
	for d := range t.axes {
		columns *= t.kernel[d]
	}
	taps := t.kernel[last]
	cols := t.cols[from*t.out[last]*columns+first*n:]
	if t.apart {
		copyRows(dst, cols, taps*n, t.out[last], taps*n, columns)
		return
	}
	for k := range taps {
		for o := range t.out[last] {
			at := o*t.stride[last] + k*t.dilation[last] - t.pad[last]
			if at >= 0 && at < t.in[last] {
				d := dst[at*n:][:n]
				VecAdd32(d, d, cols[o*columns+k*n:][:n])
			}
		}
	}
}
