package cpu

// maxSlide is the maximum number of neighboring pixels for slide.
const maxSlide = 8

// slides reports whether there are sliding kernels for the lines of the image. Windows must be 3, 5 or 7 taps
// wide and one or two pixels apart, and reach beyond the image by at most half of their taps.
func (t *tapLine) slides() bool {
	beyond := max(t.pw, (t.ow-1)*t.sw-t.pw+t.kw-t.iw)
	return slideKernels(t.channels) && (t.kw == 3 || t.kw == 5 || t.kw == 7) && t.sw <= 2 && t.dw == 1 && beyond <= t.kw/2
}

// slideLines computes n lines of an image from line l on with sliding kernels.
func (t *tapTask) slideLines(k *tapLine, l, n int) {
	var own []float32
	from, to := t.rowsOf(l%t.oh, n)
	if t.conflictsInL1() && to > from {
		t.begin(k, l)
		own = scratch.get((to - from) * t.iw * t.spread())
		copyRows(own, k.plane[from*t.iw*t.channels:], t.channels, (to-from)*t.iw, t.spread(), t.channels)
	}
	for i := range n {
		if t.begin(k, l+i); k.rows == 0 {
			t.fold(k, 0, t.ow)
			continue
		}
		if own != nil {
			k.plane, k.pixel, k.above = own, t.spread(), from
			k.setSteps()
		}
		k.slideLine()
	}
	scratch.put(own)
}

// conflictsInL1 reports whether pixels are so far apart that they are in the same few sets of L1. Then windows,
// which have many pixels, are read from a copy.
func (t *tapTask) conflictsInL1() bool { return t.channels%512 == 0 && t.kh > 1 }

// spread returns the distance of pixels in the copy.
func (t *tapTask) spread() int { return t.channels + 16 }

// rowsOf returns the rows from..to-1 of the image in the windows of n lines from line y on.
func (g *grid) rowsOf(y, n int) (from, to int) {
	from = max(0, y*g.sh-g.ph)
	to = min(g.ih, (y+n-1)*g.sh-g.ph+(g.kh-1)*g.dh+1)
	return from, to
}

// slideLine folds the windows of the present line, which has rows of taps, in the smallest number of kernel
// calls.
func (t *tapLine) slideLine() {
	parts := (t.ow + maxSlide - 1) / maxSlide
	x := 0
	for i := range parts {
		t.seek(x)
		end := (i + 1) * t.ow / parts
		t.pixels = end - x
		begin := x*t.sw - t.pw
		t.left = max(0, -begin)
		t.right = max(0, begin+(t.pixels-1)*t.sw+t.kw-t.iw)
		t.w = t.weights[t.ky0*t.wRow:]
		t.slide()
		x = end
	}
}
