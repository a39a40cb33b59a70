package cpu

// resizeAxis32 is [ResizeAxis] of float32.
func resizeAxis32(dst, x, weights []float32, first []int64, p ResizeLine, outer, inner, taps int) {
	if len(dst) == 0 {
		return
	}
	t := resizers.get()
	*t = resizer{dst: dst, x: x, weights: weights, first: first[:p.Out], in: p.In, inner: inner, taps: taps, value: float32(p.Value)}
	for _, at := range t.first {
		t.cropped = t.cropped || at < 0
	}
	lines := outer * p.Out
	cost := inner*(taps+1)/16 + taps // of a line, in nanoseconds
	t.perTurn = 1 + 2000/cost
	parallel((lines+t.perTurn-1)/t.perTurn, lines*cost, t)
	*t = resizer{}
	resizers.put(t)
}

var resizers freelist[resizer]

// resizer is the task of resizing the middle one of three axes. A turn is some lines, of the outer and the
// middle axis.
type resizer struct {
	dst, x, weights []float32
	first           []int64
	in, inner, taps int
	value           float32 // of elements that depend on no input
	cropped         bool    // there are such elements
	perTurn         int
}

func (t *resizer) run(i int) {
	out := len(t.first)
	for l := i * t.perTurn; l < min((i+1)*t.perTurn, len(t.dst)/t.inner); {
		y := l % out
		n := min(out-y, (i+1)*t.perTurn-l)
		t.lines(t.dst[l*t.inner:][:n*t.inner], t.x[l/out*t.in*t.inner:][:t.in*t.inner], y, n)
		l += n
	}
}

// lines computes n lines from y on.
func (t *resizer) lines(dst, x []float32, y, n int) {
	weights, first := t.weights[y*t.taps:][:n*t.taps], t.first[y:][:n]
	switch {
	case t.cropped:
		resizeLines(dst, x, weights, first, float64(t.value), t.inner, t.taps)
	case t.inner == 1 && t.taps == 2:
		for y, at := range first {
			dst[y] = float32(weights[2*y]*x[at]) + float32(weights[2*y+1]*x[at+1])
		}
	default:
		weightedLines(dst, x, weights, first, t.taps, t.inner)
	}
}

// weightedLinesGo is
//
//	for y, at := range first {
//		for i := range n {
//			dst[y*n+i] = Σk weights[y*taps+k] * x[(at+k)*n+i]
//		}
//	}
func weightedLinesGo(dst, x, weights []float32, first []int64, taps, n int) {
	for y, at := range first {
		d := dst[y*n:][:n]
		clear(d)
		for k, w := range weights[y*taps:][:taps] {
			for i, v := range x[(int(at)+k)*n:][:n] {
				d[i] += float32(w * v)
			}
		}
	}
}
