package cpu

// wideConv is the layout of images for gradients of convolutions with steps of 1: with the padding around
// them, so that the inputs of a tap are one run of a plane. A row of the output then has pitch elements. The
// last ones are zeros if the output is an operand, and ignored if it is a result. The elements that are
// multiplied with these zeros must be finite.
type wideConv struct {
	grid
	pitch int // elements of a row
	plane int // elements of a channel of an image
	n     int // elements of a channel of the output, up to the last valid one
}

// newWide returns false if the window has other steps, or more than two axes.
func newWide(win Window) (v wideConv, ok bool) {
	if len(win.In) > 2 {
		return v, false
	}
	g := newGrid(win)
	v = wideConv{grid: g, pitch: g.iw + g.pw + g.pwEnd}
	h := g.ih + g.ph + g.phEnd
	v.plane, v.n = h*v.pitch, (g.oh-1)*v.pitch+g.ow
	ok = g.sh == 1 && g.sw == 1 && min(g.ph, g.phEnd, g.pw, g.pwEnd) >= 0 && min(g.oh, g.ow) > 0 &&
		g.oh == h-(g.kh-1)*g.dh && g.ow == v.pitch-(g.kw-1)*g.dw
	return v, ok
}

// isPadded reports whether the layout differs from that of the images.
func (v *wideConv) isPadded() bool { return v.pitch != v.iw || v.plane != v.ih*v.iw }

// at returns the place in a plane where the inputs of a tap begin.
func (v *wideConv) at(tap int) int { return tap/v.kw*v.dh*v.pitch + tap%v.kw*v.dw }

// padChannel copies channel c of an image to its place in the padding. An image may have no pixels.
func (v *wideConv) padChannel(padded, image []float32, c int) {
	if len(image) > 0 {
		spreadRows(padded[c*v.plane+v.ph*v.pitch+v.pw:], image, v.iw, v.pitch)
	}
}

// spreadRows copies rows of n elements to rows that are pitch elements apart.
func spreadRows(dst, src []float32, n, pitch int) {
	for len(src) > 0 {
		copy(dst, src[:n])
		src = src[n:]
		dst = dst[min(pitch, len(dst)):]
	}
}

// closeRows copies the first n elements of rows that are pitch elements apart.
func closeRows(dst, src []float32, n, pitch int) {
	for ; len(dst) > 0; dst = dst[n:] {
		copy(dst[:n], src)
		src = src[min(pitch, len(src)):]
	}
}

// wideOutput returns a buffer for the gradients of a group's output, with zeros between the rows.
func (t *convGradTask) wideOutput() []float32 {
	dy := scratch.get(t.rows * t.wide.n)
	clear(dy)
	return dy
}

// takeOutput copies the gradients of group i into the buffer.
func (t *convGradTask) takeOutput(dy []float32, i int) {
	v := &t.wide
	for r := range t.rows {
		spreadRows(row(dy, r, v.n), row(t.dy, i*t.rows+r, t.places), v.ow, v.pitch)
	}
}

// wideWeightTurn is weightTurn for runs.
func (t *convGradTask) wideWeightTurn(i, from, to int) {
	v, n := &t.wide, t.groups*t.rows*t.taps
	part := t.part[i*n:][:n]
	clear(part)
	cols, dy := scratch.get(t.taps*v.n), t.wideOutput()
	var padded []float32
	if v.isPadded() {
		padded = scratch.get(t.depth * v.plane)
		clear(padded)
	}
	for i := from * t.groups; i < to*t.groups; i++ {
		x := row(t.x, i, t.depth*t.s.inSize)
		if padded != nil {
			for c := range t.depth {
				v.padChannel(padded, row(x, c, t.s.inSize), c)
			}
			x = padded
		}
		t.takeOutput(dy, i)
		d := part[i%t.groups*t.rows*t.taps:]
		if t.rows <= fewFilters {
			t.dots(d, x, dy)
			continue
		}
		for k := range t.taps {
			copy(row(cols, k, v.n), t.met(x, k))
		}
		product32(d, cols, dy, GemmShape{M: t.taps, K: v.n, N: t.rows, TransB: true, Alpha: 1, Beta: 1})
	}
	scratch.put(cols)
	scratch.put(dy)
	scratch.put(padded)
}

// fewFilters is the number of filters up to which the packed matrix would mostly be padding.
const fewFilters = 8

// dots computes the product of taps and filters as dot products.
func (t *convGradTask) dots(dst, x, dy []float32) {
	for k := range t.taps {
		for r := range t.rows {
			dst[k*t.rows+r] += VecDot32(t.met(x, k), row(dy, r, t.wide.n))
		}
	}
}

// met returns the elements of x that tap k reads, for the channels of a group.
func (t *convGradTask) met(x []float32, k int) []float32 {
	return x[k/t.s.kernelSize*t.wide.plane+t.wide.at(k%t.s.kernelSize):][:t.wide.n]
}

// wideInputTurn is inputTurn for runs.
func (t *convGradTask) wideInputTurn(_, from, to int) {
	v := &t.wide
	cols, dy, plane := scratch.get(t.taps*v.n), t.wideOutput(), scratch.get(v.plane)
	for i := from * t.groups; i < to*t.groups; i++ {
		g := i % t.groups
		t.takeOutput(dy, i)
		product32(cols, t.w[g*t.rows*t.taps:], dy, GemmShape{M: t.taps, K: t.rows, N: v.n, Alpha: 1})
		for c := range t.depth {
			fill(plane, t.biasOf(g*t.depth+c))
			for k := range t.s.kernelSize {
				d := plane[v.at(k):][:v.n]
				VecAdd32(d, d, row(cols, c*t.s.kernelSize+k, v.n))
			}
			closeRows(row(t.dst, i*t.depth+c, t.s.inSize), plane[v.ph*v.pitch+v.pw:], v.iw, v.pitch)
		}
	}
	scratch.put(cols)
	scratch.put(dy)
	scratch.put(plane)
}

// biasOf returns the bias of a channel, or 0 without one.
func (t *convGradTask) biasOf(c int) float32 {
	if t.bias == nil {
		return 0
	}
	return t.bias[c]
}
