package cpu

var (
	padders     freelist[padder[float32]]
	bytePadders freelist[padder[byte]]
)

// padder is the task of writing the image of [patches] if it is not x. A turn writes a few lines.
type padder[T float32 | byte] struct {
	*patches
	image, x []T
	padding  T
	copyRows func(dst, src []T, n, rows, ldd, lds int)
	lines    int
	perTurn  int
	lo, hi   int // pixels lo ≤ i < hi of a line are pixels i*skip-pad of x
}

// do writes the image, before a loop of next nanoseconds reads it. If that loop runs on several threads, each
// writes what it will read.
func (t *padder[T]) do(next int) {
	last := t.axes - 1
	pad, skip := t.pad[last], t.skip[last]
	t.lo = min((pad+skip-1)/skip, t.size[last])
	t.hi = max(t.lo, min((t.in[last]-1+pad)/skip+1, t.size[last]))
	if t.in[last] == 0 {
		t.lo, t.hi = 0, 0
	}
	t.lines = len(t.image) / max(t.lineSize(), 1)
	each := t.lineSize() / 16 // nanoseconds
	t.perTurn = max(1, 2000/(each+1))
	cost := t.lines * each
	if cost <= serialCost && next > 2*serialCost {
		t.perTurn = (t.lines + Threads() - 1) / Threads()
		cost = serialCost + 1
	}
	parallel((t.lines+t.perTurn-1)/t.perTurn, cost, t)
}

// lineSize returns the number of elements in a line of the image.
func (p *patches) lineSize() int { return p.size[p.axes-1] * p.pixel }

// run writes the lines of a plane one after the other: a division for each takes longer than copying a short line.
func (t *padder[T]) run(i int) {
	size, height, skip, pad, in := t.lineSize(), 1, 1, 0, 1
	if d := t.axes - 2; d >= 0 {
		height, skip, pad, in = t.size[d], t.skip[d], t.pad[d], t.in[d]
	}
	l, end := i*t.perTurn, min((i+1)*t.perTurn, t.lines)
	for l < end {
		from, ok := t.source(l/height, in)
		for y := l % height; y < height && l < end; y, l = y+1, l+1 {
			line, at := t.image[l*size:][:size], y*skip-pad
			if ok && 0 <= at && at < in && t.lo < t.hi {
				t.writeLine(line, from+at*t.in[t.axes-1])
			} else {
				fill(line, t.padding)
			}
		}
	}
}

// writeLine writes a line that without padding begins with a pixel of x.
func (t *padder[T]) writeLine(dst []T, from int) {
	last := t.axes - 1
	if t.lo > 0 {
		fill(dst[:t.lo*t.pixel], t.padding)
	}
	if t.hi < t.size[last] {
		fill(dst[t.hi*t.pixel:], t.padding)
	}
	n, d, src := t.channels, dst[t.lo*t.pixel:t.hi*t.pixel], t.x[(from+t.lo*t.skip[last]-t.pad[last])*t.channels:]
	if t.skip[last] == 1 && t.pixel == n {
		copy(d, src)
		return
	}
	t.copyRows(d, src, n, t.hi-t.lo, t.pixel, t.skip[last]*n)
}

// source returns the pixel of x with which plane p of the image, whose axes are all but the last two, begins without padding.
// In x, a plane has some lines. It returns false if the plane is padding.
func (t *padder[T]) source(p, lines int) (from int, ok bool) {
	step := lines * t.in[t.axes-1]
	for d := t.axes - 3; d >= 0; d-- {
		i := p%t.size[d]*t.skip[d] - t.pad[d]
		if i < 0 || i >= t.in[d] {
			return 0, false
		}
		from += i * step
		p /= t.size[d]
		step *= t.in[d]
	}
	return from + p*step, true
}
