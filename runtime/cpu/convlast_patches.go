package cpu

var patchRows freelist[patches]

// patches is the matrix that a convolution multiplies with its filters. It has a
// row for each place of the output, and for each group of channels a column for
// every tap and channel: what the window sees there of x, which has the channels
// last.
type patches struct {
	x               []float32
	channels, depth int // of all groups, and of one
	win             slide
	joined          bool // the taps of a row of the window are one run of x
	lo, hi          int  // the outputs of a row whose windows have all taps of the last axis
}

func (p *patches) init(x []float32, channels, groups int, win Window) {
	p.x, p.channels, p.depth = x, channels, channels/groups
	s := &p.win
	s.init(win)
	p.joined = groups == 1 && (s.rowDilation == 1 || s.taps == 1)
	lo, hi, _ := s.span(0)
	lo2, hi2, _ := s.span(s.taps - 1)
	p.lo = max(lo, lo2)
	p.hi = max(p.lo, min(hi, hi2))
}

var gatherings freelist[gathering]

// gathering is the copying of patches of one group.
type gathering struct {
	*patches
	s        slide
	dst, src []float32
	ldd      int
	k0, k1   int // the columns that are wanted
	group    int
}

func (p *patches) gathering(group int) *gathering {
	g := gatherings.get()
	*g = gathering{patches: p, s: p.win, group: group}
	return g
}

func (g *gathering) done() {
	g.patches, g.dst, g.src = nil, nil, nil
	gatherings.put(g)
}

// gather copies columns k0 ≤ k < k1 of rows r0 ≤ r < r1 to dst, rows ldd apart.
func (g *gathering) gather(dst []float32, ldd, r0, r1, k0, k1 int) {
	g.ldd, g.k0, g.k1 = ldd, k0, k1
	s := &g.s
	for r := r0; r < r1; {
		line, o0 := r/s.outRow, r%s.outRow
		o1 := min(s.outRow, o0+r1-r)
		g.dst = dst[(r-r0)*ldd:]
		g.src = g.x[line/s.rows*s.inSize*g.channels+g.group*g.depth:]
		s.seek(line % s.rows)
		g.line(o0, o1)
		r += o1 - o0
	}
}

// line copies the patches of outputs o0 ≤ o < o1 of the row at hand.
func (g *gathering) line(o0, o1 int) {
	depth, end := g.depth, 0 // the columns before end are done
	in0, in1 := min(max(o0, g.lo), o1), min(max(o0, g.hi), o1)
	if !g.joined {
		in1 = in0
	}
	for g.s.nextTap() {
		at := g.s.tap * depth
		g.zero(0, o1-o0, end, at)
		end = at + g.s.taps*depth
		if in0 < in1 {
			g.copy(in0-o0, in1-o0, at, g.s.taps*depth, in0*g.s.rowStride-g.s.rowPad)
			g.taps(o0, o0, in0)
			g.taps(o0, in1, o1)
		} else {
			g.taps(o0, o0, o1)
		}
	}
	g.zero(0, o1-o0, end, depth*g.s.kernelSize)
}

// taps copies what the taps of a row of the window see at outputs from ≤ o < to;
// the first patch is o0's.
func (g *gathering) taps(o0, from, to int) {
	if from == to {
		return
	}
	for k := range g.s.taps {
		at := (g.s.tap + k) * g.depth
		lo, hi, _ := g.s.span(k)
		lo = min(max(lo, from), to)
		hi = min(max(hi, lo), to)
		g.zero(from-o0, lo-o0, at, at+g.depth)
		g.copy(lo-o0, hi-o0, at, g.depth, lo*g.s.rowStride+k*g.s.rowDilation-g.s.rowPad)
		g.zero(hi-o0, to-o0, at, at+g.depth)
	}
}

// copy fills n columns from column at on of the patches from ≤ i < to; the first
// of them begins at pixel x of the row of the input.
func (g *gathering) copy(from, to, at, n, x int) {
	a, b := max(at, g.k0), min(at+n, g.k1)
	if a >= b || from >= to {
		return
	}
	copyRows(g.dst[from*g.ldd+a-g.k0:], g.src[(g.s.src+x)*g.channels+a-at:], b-a, to-from, g.ldd, g.s.rowStride*g.channels)
}

// zero clears columns a ≤ k < b of the patches from ≤ i < to.
func (g *gathering) zero(from, to, a, b int) {
	a, b = max(a, g.k0), min(b, g.k1)
	if a >= b {
		return
	}
	for i := from; i < to; i++ {
		clear(g.dst[i*g.ldd+a-g.k0 : i*g.ldd+b-g.k0])
	}
}
