package plan

// full knows for each step an offset in a space below which there is no gap. It is a tree whose leaves are the steps. The
// node i has the children 2i and 2i+1; its offsets are at least known[i], and lie between low[i] and high[i] as far as
// the nodes above do not say more.
type full struct {
	size             int // number of leaves
	known, low, high []int
}

func newFull(steps int) *full {
	n := 1
	for n < steps {
		n *= 2
	}
	return &full{n, make([]int, 2*n), make([]int, 2*n), make([]int, 2*n)}
}

// most returns the highest offset of the steps of a life.
func (f *full) most(l span) int { return f.mostAt(1, span{0, f.size - 1}, l) }

func (f *full) mostAt(i int, here, l span) int {
	switch {
	case here.to < l.from || l.to < here.from:
		return 0
	case l.from <= here.from && here.to <= l.to:
		return f.high[i]
	}
	left, right := here.halves()
	return max(f.known[i], f.mostAt(2*i, left, l), f.mostAt(2*i+1, right, l))
}

// fill takes what is between two offsets during a life. This makes the offsets of steps higher that reached to the first.
func (f *full) fill(l span, off, end int) { f.fillAt(1, span{0, f.size - 1}, l, 0, off, end) }

// fillAt fills a node, whose offsets are at least known.
func (f *full) fillAt(i int, here, l span, known, off, end int) {
	known = max(known, f.known[i])
	switch {
	case here.to < l.from || l.to < here.from || max(known, f.high[i]) < off:
		return
	case l.from <= here.from && here.to <= l.to && max(known, f.low[i]) >= off:
		f.known[i], f.low[i], f.high[i] = max(f.known[i], end), max(f.low[i], end), max(f.high[i], end)
		return
	}
	left, right := here.halves()
	f.fillAt(2*i, left, l, known, off, end)
	f.fillAt(2*i+1, right, l, known, off, end)
	f.low[i] = max(f.known[i], min(f.low[2*i], f.low[2*i+1]))
	f.high[i] = max(f.known[i], f.high[2*i], f.high[2*i+1])
}

// halves returns both halves of a span of more than one step.
func (s span) halves() (left, right span) {
	mid := (s.from + s.to) / 2
	return span{s.from, mid}, span{mid + 1, s.to}
}
