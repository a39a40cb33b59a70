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
}

// do writes the image, before a loop of next nanoseconds reads it. If that loop runs on several threads, each
// writes what it will read.
func (t *padder[T]) do(next int) {
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

func (t *padder[T]) run(i int) {
	for l := i * t.perTurn; l < min((i+1)*t.perTurn, t.lines); l++ {
		t.writeLine(t.image[l*t.lineSize():][:t.lineSize()], l)
	}
}

// writeLine writes line l of the image.
func (t *padder[T]) writeLine(dst []T, l int) {
	from, ok := t.source(l)
	last := t.axes - 1
	pad, skip := t.pad[last], t.skip[last]
	// Pixels lo ≤ i < hi of the line are pixels i*skip-pad of x.
	lo := min((pad+skip-1)/skip, t.size[last])
	hi := max(lo, min((t.in[last]-1+pad)/skip+1, t.size[last]))
	if !ok || t.in[last] == 0 {
		lo, hi = t.size[last], t.size[last]
	}
	fill(dst[:lo*t.pixel], t.padding)
	fill(dst[hi*t.pixel:], t.padding)
	if lo == hi {
		return
	}
	n, d, src := t.channels, dst[lo*t.pixel:], t.x[(from+lo*skip-pad)*t.channels:]
	if skip == 1 && t.pixel == n {
		copy(d[:(hi-lo)*n], src)
		return
	}
	t.copyRows(d, src, n, hi-lo, t.pixel, skip*n)
}

// source returns the pixel of x with which line l begins without padding. It returns false if the line is
// padding.
func (t *padder[T]) source(l int) (from int, ok bool) {
	last := t.axes - 1
	step := t.in[last]
	for d := last - 1; d >= 0; d-- {
		i := l%t.size[d]*t.skip[d] - t.pad[d]
		if i < 0 || i >= t.in[d] {
			return 0, false
		}
		from += i * step
		l /= t.size[d]
		step *= t.in[d]
	}
	return from + l*step, true
}
