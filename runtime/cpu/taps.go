package cpu

// tapRun is the argument of a kernel that folds the windows of neighboring pixels of a line, each channel
// separately: rows×taps pixels of x for each pixel of dst. All steps are in floats. Assembly uses the offsets
// of the fields.
type tapRun struct {
	dst, x, w, bias []float32
	channels        int
	rows, taps      int // of a window
	xRow, xTap      int // from one row of the window to the next, and from one tap to the next
	xPixel          int // from one pixel's window to the next
	wRow, wTap      int
	dPixel          int
	low, high       float32 // weighted sums are limited to these; a maximum is at least low
	count           float32 // the divisor of totals
	left, right     int     // columns of windows outside of the image: before its begin, for the first window, and after its end, for the last
	pixels          int
}

// weightedGo is
//
//	for p := range pixels {
//		for c := range t.channels {
//			sum := bias[c]
//			for r, k := range window {
//				sum += w[r*wRow+k*wTap+c] * x[p*xPixel+r*xRow+k*xTap+c]
//			}
//			dst[p*dPixel+c] = min(max(sum, low), high)
//		}
//	}
func (t *tapRun) weightedGo(pixels int) {
	for p := range pixels {
		d := t.dst[p*t.dPixel:][:t.channels]
		copy(d, t.bias)
		for r := range t.rows {
			for k := range t.taps {
				x := t.x[p*t.xPixel+r*t.xRow+k*t.xTap:][:len(d)]
				w := t.w[r*t.wRow+k*t.wTap:][:len(d)]
				for c := range d {
					d[c] += float32(w[c] * x[c])
				}
			}
		}
		for c, v := range d {
			d[c] = clamp32(v, t.low, t.high)
		}
	}
}

// clamp32 limits v to low and high. NaN is unchanged.
func clamp32(v, low, high float32) float32 {
	switch {
	case v < low:
		return low
	case v > high:
		return high
	}
	return v
}

// largestGo is weightedGo for the largest element, which is at least low, or NaN if there is one.
func (t *tapRun) largestGo(pixels int) {
	for p := range pixels {
		d := t.dst[p*t.dPixel:][:t.channels]
		fill(d, t.low)
		for r := range t.rows {
			for k := range t.taps {
				x := t.x[p*t.xPixel+r*t.xRow+k*t.xTap:][:len(d)]
				for c, v := range x {
					d[c] = max(d[c], v)
				}
			}
		}
	}
}

// totalGo is weightedGo for the sum of the sums of the window's rows, divided by count.
func (t *tapRun) totalGo(pixels int) {
	for p := range pixels {
		d := t.dst[p*t.dPixel:][:t.channels]
		for c := range d {
			sum := float32(0)
			for r := range t.rows {
				row, at := float32(0), p*t.xPixel+r*t.xRow+c
				for range t.taps {
					row += t.x[at]
					at += t.xTap
				}
				sum += row
			}
			d[c] = sum / t.count
		}
	}
}

// grid is a [Window] over one or two spatial axes, as lines of pixels.
type grid struct {
	ih, iw, oh, ow, kh, kw int
	sh, sw, dh, dw, ph, pw int
	phEnd, pwEnd           int
	lo, hi                 int // the pixels of a line whose windows have all taps
}

func newGrid(win Window) grid {
	at := func(v []int, axis, none int) int {
		if i := len(v) - 2 + axis; i >= 0 {
			return v[i]
		}
		return none
	}
	g := grid{
		ih: at(win.In, 0, 1), iw: at(win.In, 1, 1), oh: at(win.Out, 0, 1), ow: at(win.Out, 1, 1),
		kh: at(win.Kernel, 0, 1), kw: at(win.Kernel, 1, 1), sh: at(win.Stride, 0, 1), sw: at(win.Stride, 1, 1),
		dh: at(win.Dilation, 0, 1), dw: at(win.Dilation, 1, 1), ph: at(win.Pad, 0, 0), pw: at(win.Pad, 1, 0),
		phEnd: at(win.PadEnd, 0, 0), pwEnd: at(win.PadEnd, 1, 0),
	}
	g.lo = min((g.pw+g.sw-1)/g.sw, g.ow)
	g.hi = g.lo
	if room := g.iw - 1 + g.pw - (g.kw-1)*g.dw; room >= 0 {
		g.hi = max(g.lo, min(room/g.sw+1, g.ow))
	}
	return g
}

// tapsInside returns the taps from..to-1 of an axis that are in the input, for a window that begins at begin.
func tapsInside(begin, size, taps, dilation int) (from, to int) {
	if dilation == 1 { // without divisions
		from = min(max(-begin, 0), taps)
		return from, max(from, min(size-begin, taps))
	}
	if begin < 0 {
		from = min((-begin+dilation-1)/dilation, taps)
	}
	to = from
	if room := size - 1 - begin; room >= 0 {
		to = max(from, min(room/dilation+1, taps))
	}
	return from, to
}

// tapLine iterates over the pixels of a line and calls kernels for several pixels at a time.
type tapLine struct {
	tapRun
	*grid
	line     []float32 // dst from the line on
	plane    []float32 // the image
	above    int       // the number of rows of the image before plane
	weights  []float32
	width    int // channels of the image
	pixel    int // from a pixel of plane to the next
	first    int // the first present channel
	ky0, ky1 int // the rows of the window in the image
	y        int
}

// init sets t to line y of an image. dst, plane and w have the channels last.
func (t *tapLine) init(g *grid, dst, plane, w []float32, channels, y int) {
	t.grid, t.line, t.plane, t.above, t.weights, t.y = g, dst, plane, 0, w, y
	t.width, t.pixel, t.first, t.channels = channels, channels, 0, channels
	t.ky0, t.ky1 = tapsInside(y*g.sh-g.ph, g.ih, g.kh, g.dh)
	t.rows = t.ky1 - t.ky0
	t.setSteps()
	t.wRow, t.wTap, t.dPixel = g.kw*channels, channels, channels
}

// setSteps computes the distances of windows' rows, taps and pixels.
func (t *tapLine) setSteps() {
	t.xRow, t.xTap, t.xPixel = t.dh*t.iw*t.pixel, t.dw*t.pixel, t.sw*t.pixel
}

// narrow restricts t to channels from ≤ c < to of the line.
func (t *tapLine) narrow(from, to int) {
	t.first, t.channels = from, to-from
	if t.bias != nil {
		t.bias = t.bias[from:]
	}
}

// seek goes to pixel x. Its window may have no taps in the image.
func (t *tapLine) seek(x int) {
	begin := x*t.sw - t.pw
	kx0, kx1 := tapsInside(begin, t.iw, t.kw, t.dw)
	t.taps = kx1 - kx0
	t.dst = t.line[x*t.width+t.first:]
	if t.rows > 0 && t.taps > 0 {
		from := (t.y*t.sh - t.ph + t.ky0*t.dh - t.above) * t.iw
		t.x = t.plane[(from+begin+kx0*t.dw)*t.pixel+t.first:]
		if t.weights != nil {
			t.w = t.weights[t.ky0*t.wRow+kx0*t.wTap+t.first:]
		}
	}
}

// wide returns the number of pixels from x on with all taps, rounded down to the size of a kernel.
func (t *tapLine) wide(x int) int { return taken(t.hi - x) }

// tall returns the number of next lines with all rows of taps, or 1, rounded down to the size of a kernel.
func (t *tapLine) tall(lines int) int {
	if t.rows < t.kh {
		return 1
	}
	end := t.y + 1
	for room := t.ih - 1 + t.ph - (t.kh-1)*t.dh; end < t.y+lines && end*t.sh <= room; {
		end++
	}
	return taken(end - t.y)
}

// taken returns the largest number of pixels of a kernel that is at most n, for n > 0.
func taken(n int) int {
	for pixels := 8; ; pixels /= 2 {
		if pixels <= n {
			return pixels
		}
	}
}
