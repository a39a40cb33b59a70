package cpu

// maxSlide is how many neighbouring pixels slide takes at most.
const maxSlide = 8

// slides reports whether there are kernels that slide over the lines of the image: for windows that are 3, 5 or 7 taps wide
// and one or two pixels apart, and reach beyond the image by no more than half of their taps.
func (t *tapLine) slides() bool {
	beyond := max(t.pw, (t.ow-1)*t.sw-t.pw+t.kw-t.iw)
	return slideKernels(t.channels) && (t.kw == 3 || t.kw == 5 || t.kw == 7) && t.sw <= 2 && t.dw == 1 && beyond <= t.kw/2
}

// slideLine folds the windows of the line at hand, which has rows of taps, in as few parts as kernels take.
func (t *tapLine) slideLine() {
	parts := (t.ow + maxSlide - 1) / maxSlide
	for i := range parts {
		x := i * t.ow / parts
		t.seek(x)
		t.pixels = (i+1)*t.ow/parts - x
		begin := x*t.sw - t.pw
		t.left = max(0, -begin)
		t.right = max(0, begin+(t.pixels-1)*t.sw+t.kw-t.iw)
		t.w = t.weights[t.ky0*t.wRow:]
		t.slide()
	}
}
