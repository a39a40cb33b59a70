package cpu

// byteDepthwise is a [QConv] whose filters each see one channel: a turn is a channel of an image. What a filter meets is
// float32, as vectors are there for it, and exact, as sums stay below 2²⁴. It is less the padding, so that this is zero, and
// what a tap gives to rows of outputs is one run of the padded plane, what is between the steps of the window too.
type byteDepthwise byteConv

// maxExactTaps is how many products of two bytes can be added up in float32 without rounding, at least.
const maxExactTaps = 256

// depthwise reports whether t is for byteDepthwise.
func (t *byteConv) depthwise(win Window) bool {
	if t.channels != t.groups || t.filters != t.groups || len(win.In) > 2 || t.win.kernelSize > maxExactTaps {
		return false
	}
	t.grid = newGrid(win)
	g := &t.grid
	return min(g.ph, g.phEnd, g.pw, g.pwEnd) >= 0 && min(g.oh, g.ow) > 0 &&
		(g.oh-1)*g.sh+(g.kh-1)*g.dh < g.ih+g.ph+g.phEnd && (g.ow-1)*g.sw+(g.kw-1)*g.dw < g.iw+g.pw+g.pwEnd
}

func (t *byteDepthwise) run(i int) {
	g := &t.grid
	pitch := g.iw + g.pw + g.pwEnd
	size, places := (g.ih+g.ph+g.phEnd)*pitch, g.oh*g.ow
	buf := scratch.get(2 * size)
	plane, sums := buf[:size], buf[size:]
	padding := int32(t.padding ^ t.flip)
	t.spread(plane, t.x[i*g.ih*g.iw:], pitch, padding)

	c, taps := i%t.channels, g.kh*g.kw
	filter := t.w[c*4*quadsOf(taps):][:taps]
	intBuf, ints := scratchInts(places + 1)
	rows := 1 // at a time, so that their sums stay in L1
	if g.sh == 1 {
		rows = max(stripLen/pitch, 1)
	}
	for r := 0; r < g.oh; r += rows {
		n := min(rows, g.oh-r)
		t.strip(ints[r*g.ow:], sums[:(n-1)*pitch+(g.ow-1)*g.sw+1], plane[r*g.sh*pitch:], filter, n, pitch)
	}
	ints[places] = t.add[c]
	for _, w := range filter {
		ints[places] += padding * int32(int8(w))
	}
	out := t.out.from(i * places)
	out.add, out.byRow, out.ldd = ints[places:], true, places
	if t.mult != nil {
		out.mult = t.mult[c:]
	}
	out.store(ints, places, 0, 0, 1, places)
	scratch.put(intBuf)
	scratch.put(buf)
}

// stripLen is about how many sums are worked on at a time.
const stripLen = 2048

// strip computes rows of sums; plane begins with what the first of them meets.
func (t *byteDepthwise) strip(dst []int32, sums, plane []float32, filter []byte, rows, pitch int) {
	g := &t.grid
	clear(sums)
	for k, w := range filter {
		if w != 0 {
			VecAxpy32(sums, plane[k/g.kw*g.dh*pitch+k%g.kw*g.dw:], float32(int8(w)))
		}
	}
	for r := range rows {
		d, from := dst[r*g.ow:][:g.ow], sums[r*pitch:]
		if g.sw == 1 {
			for k, v := range from[:len(d)] {
				d[k] = int32(v)
			}
			continue
		}
		for k := range d {
			d[k] = int32(from[k*g.sw])
		}
	}
}

// spread is the channel that begins at x, less the padding, with zeros around it.
func (t *byteDepthwise) spread(plane []float32, x []byte, pitch int, padding int32) {
	g := &t.grid
	signed := t.flip != 0
	if signed { // these count from -128 on
		padding -= 128
	}
	if len(plane) == g.ih*g.iw {
		dequantizeBytes(plane, x, signed, 1, padding)
		return
	}
	clear(plane)
	for r := range g.ih {
		dequantizeBytes(plane[(r+g.ph)*pitch+g.pw:][:g.iw], x[r*g.iw:], signed, 1, padding)
	}
}
