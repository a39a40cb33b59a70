package cpu

// wideConv is how gradients of convolutions with steps of 1 see their images: with the padding around them, so that
// what a tap meets is one run of a plane, from its place on. A row of the output then has pitch elements, of which the
// last are zeros where it is an operand, and of no account where it is a result. What meets these zeros must be finite.
type wideConv struct {
	grid
	pitch int // elements of a row
	plane int // elements of a channel of an image
	n     int // elements of a channel of the output, up to the last that counts
}

// newWide is not ok if the window has other steps, or more than two axes.
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

// isPadded reports whether planes differ from those of the images.
func (v *wideConv) isPadded() bool { return v.pitch != v.iw || v.plane != v.ih*v.iw }

// at is where what a tap meets begins in a plane.
func (v *wideConv) at(tap int) int { return tap/v.kw*v.dh*v.pitch + tap%v.kw*v.dw }

// surround copies channel c of an image to where it stands among its padding. One without pixels stands nowhere.
func (v *wideConv) surround(padded, image []float32, c int) {
	if len(image) > 0 {
		spreadRows(padded[c*v.plane+v.ph*v.pitch+v.pw:], image, v.iw, v.pitch)
	}
}

// spreadRows copies rows of n elements to rows that are pitch apart.
func spreadRows(dst, src []float32, n, pitch int) {
	for len(src) > 0 {
		copy(dst, src[:n])
		src = src[n:]
		dst = dst[min(pitch, len(dst)):]
	}
}

// closeRows copies the first n elements of rows that are pitch apart.
func closeRows(dst, src []float32, n, pitch int) {
	for ; len(dst) > 0; dst = dst[n:] {
		copy(dst[:n], src)
		src = src[min(pitch, len(src)):]
	}
}

// wideOutput is room for what a filter's gradients of an output are, with zeros between the rows.
func (t *convGradTask) wideOutput() []float32 {
	dy := scratch.get(t.rows * t.wide.n)
	clear(dy)
	return dy
}

// takeOutput brings the gradients of group i into it.
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
				v.surround(padded, row(x, c, t.s.inSize), c)
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
		Gemm32(d, cols, dy, t.taps, v.n, t.rows, false, true, 1, 1)
	}
	scratch.put(cols)
	scratch.put(dy)
	scratch.put(padded)
}

// fewFilters are so few that a product of matrices would be padding for the most part.
const fewFilters = 8

// dots is the product of taps and filters as dot products.
func (t *convGradTask) dots(dst, x, dy []float32) {
	for k := range t.taps {
		for r := range t.rows {
			dst[k*t.rows+r] += VecDot32(t.met(x, k), row(dy, r, t.wide.n))
		}
	}
}

// met is what tap k of the channels of a group meets in x.
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
		Gemm32(cols, t.w[g*t.rows*t.taps:], dy, t.taps, t.rows, v.n, false, false, 1, 0)
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

// biasOf is the bias of a channel, 0 without one.
func (t *convGradTask) biasOf(c int) float32 {
	if t.bias == nil {
		return 0
	}
	return t.bias[c]
}
