package imagedec

// vp8Edge is the parameters for smoothing the edges of a macroblock.
type vp8Edge struct {
	level, limit int // level 0: not at all
	high         int // larger steps are edges of the picture
	inner        bool
}

// edge returns the parameters for a macroblock.
func (d *vp8) edge(segment int, subblocks, coded bool) vp8Edge {
	level := d.level
	if d.segmented {
		if level = d.segmentLevel[segment]; !d.absolute {
			level += d.level
		}
	}
	level += d.frameDelta
	if subblocks {
		level += d.modeDelta
	}
	level = min(max(level, 0), 63)
	limit := level
	if d.sharp > 0 {
		limit = min(limit>>(1+d.sharp/5), 9-d.sharp)
	}
	e := vp8Edge{level: level, limit: max(limit, 1), inner: subblocks || coded}
	switch {
	case level >= 40:
		e.high = 2
	case level >= 15:
		e.high = 1
	}
	return e
}

// filter smooths the edges of all macroblocks.
func (d *vp8) filter() {
	if d.level == 0 {
		return
	}
	planes := []*vp8Plane{&d.y, &d.u, &d.v}
	if d.simple {
		planes = planes[:1]
	}
	for i := range d.edges {
		e := &d.edges[i]
		if e.level == 0 {
			continue
		}
		for k, p := range planes {
			n := 16
			if k > 0 {
				n = 8
			}
			at := p.at + n*(i/d.across*p.stride+i%d.across)
			d.smooth(p, at, n, e, i%d.across > 0, p.stride, 1)
			d.smooth(p, at, n, e, i >= d.across, 1, p.stride)
		}
	}
}

// smooth smooths the edges of one direction: the edge between a macroblock and the previous one, and those
// inside. Along is the step along an edge, across the step over it.
func (d *vp8) smooth(p *vp8Plane, at, n int, e *vp8Edge, before bool, along, across int) {
	for k := 0; k < n; k += 4 {
		if k == 0 && !before || k > 0 && !e.inner {
			continue
		}
		bound := 2*e.level + e.limit
		if k == 0 {
			bound += 4
		}
		for i := range n {
			at := at + k*across + i*along
			switch {
			case d.simple:
				if p.step(at, across) <= 2*bound+1 {
					p.smooth2(at, across)
				}
			case p.step(at, across) > 2*bound+1 || !p.flat(at, across, e.limit):
			case p.above(at, across, e.high):
				p.smooth2(at, across)
			case k == 0:
				p.smooth6(at, across)
			default:
				p.smooth4(at, across)
			}
		}
	}
}

// px returns pixel i relative to an edge: pixels before it have negative numbers.
func (p *vp8Plane) px(at, s, i int) int { return int(p.pix[at+i*s]) }

func apart(a, b int) int { return max(a-b, b-a) }

// step returns the size of the step over an edge.
func (p *vp8Plane) step(at, s int) int {
	return 4*apart(p.px(at, s, -1), p.px(at, s, 0)) + apart(p.px(at, s, -2), p.px(at, s, 1))
}

// flat reports whether both sides of an edge are smooth.
func (p *vp8Plane) flat(at, s, limit int) bool {
	for _, i := range [6]int{-4, -3, -2, 0, 1, 2} {
		if apart(p.px(at, s, i), p.px(at, s, i+1)) > limit {
			return false
		}
	}
	return true
}

// above reports whether there is a step next to the edge.
func (p *vp8Plane) above(at, s, high int) bool {
	return apart(p.px(at, s, -2), p.px(at, s, -1)) > high || apart(p.px(at, s, 1), p.px(at, s, 0)) > high
}

// move adds a number to a pixel.
func (p *vp8Plane) move(i, by int) { p.pix[i] = clamp(int(p.pix[i]) + by) }

func within(v, low, high int) int { return min(max(v, low), high) }

// smooth2 changes one pixel on each side, smooth4 two, and smooth6 three.
func (p *vp8Plane) smooth2(at, s int) {
	a := 3*(p.px(at, s, 0)-p.px(at, s, -1)) + within(p.px(at, s, -2)-p.px(at, s, 1), -128, 127)
	p.move(at-s, within((a+3)>>3, -16, 15))
	p.move(at, -within((a+4)>>3, -16, 15))
}

func (p *vp8Plane) smooth4(at, s int) {
	a := 3 * (p.px(at, s, 0) - p.px(at, s, -1))
	a1, a2 := within((a+4)>>3, -16, 15), within((a+3)>>3, -16, 15)
	a3 := (a1 + 1) >> 1
	p.move(at-2*s, a3)
	p.move(at-s, a2)
	p.move(at, -a1)
	p.move(at+s, -a3)
}

func (p *vp8Plane) smooth6(at, s int) {
	a := 3*(p.px(at, s, 0)-p.px(at, s, -1)) + within(p.px(at, s, -2)-p.px(at, s, 1), -128, 127)
	a = within(a, -128, 127)
	for i, w := range [3]int{27, 18, 9} {
		v := (w*a + 63) >> 7
		p.move(at-(1+i)*s, v)
		p.move(at+i*s, -v)
	}
}
