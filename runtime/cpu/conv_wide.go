package cpu

// wideTask is the task of a convolution with steps of 1 of many small images. A turn is an image in the
// layout of [wideConv]. The bits of the result are those of [conv32].
type wideTask struct {
	dst, x, w, bias, res []float32
	groups, depth, rows  int // depth and rows are the channels and filters of a group
	act                  Act
	wideConv
}

var wideTasks freelist[wideTask]

const (
	wideImages = 4       // the number of images from which on images are turns
	wideMost   = 1 << 16 // the elements that the taps read, which stay in L2
)

// convWide is a convolution by a wideTask. It returns false without an effect if that is not faster.
func convWide(dst, x, w, bias, res []float32, s ConvShape, act Act) (ok bool) {
	v, ok := newWide(s.Window)
	if depth := s.Channels / s.Groups; !ok || s.Images < wideImages || v.kh*v.kw == 1 || depth*v.kh*v.kw*v.n > wideMost || depth == 1 && s.Filters == s.Groups {
		return false
	}
	t := wideTasks.get()
	*t = wideTask{dst: dst, x: x, w: w, bias: bias, res: res, groups: s.Groups, depth: s.Channels / s.Groups, rows: s.Filters / s.Groups, act: act, wideConv: v}
	parallel(s.Images, s.Images*s.Filters*t.depth*v.kh*v.kw*v.n/tileSpeed(), t)
	*t = wideTask{}
	wideTasks.put(t)
	return true
}

func (t *wideTask) run(i int) {
	taps := t.depth * t.kh * t.kw
	image, places := t.ih*t.iw, t.oh*t.ow
	cols, out := scratch.get(taps*t.n), scratch.get(t.rows*t.n)
	var padded []float32
	if t.isPadded() {
		padded = scratch.get(t.depth * t.plane)
		clear(padded)
	}
	for g := range t.groups {
		x := row(t.x, i*t.groups+g, t.depth*image)
		if padded != nil {
			for c := range t.depth {
				t.padChannel(padded, row(x, c, image), c)
			}
			x = padded
		}
		for k := range taps {
			copy(row(cols, k, t.n), x[k/(t.kh*t.kw)*t.plane+t.at(k%(t.kh*t.kw)):])
		}
		for r := range t.rows {
			b := float32(0)
			if t.bias != nil {
				b = t.bias[g*t.rows+r]
			}
			fill(row(out, r, t.n), b)
		}
		product32(out, t.w[g*t.rows*taps:], cols, GemmShape{M: t.rows, K: taps, N: t.n, Alpha: 1, Beta: 1})
		for r := range t.rows {
			closeRows(row(t.dst, (i*t.groups+g)*t.rows+r, places), row(out, r, t.n), t.ow, t.pitch)
		}
	}
	d := row(t.dst, i, t.groups*t.rows*places)
	if t.res != nil {
		VecAdd32(d, d, row(t.res, i, len(d)))
	}
	t.act.apply(d)
	scratch.put(cols)
	scratch.put(out)
	scratch.put(padded)
}
