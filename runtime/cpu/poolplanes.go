package cpu

// poolTask is the task of pooling planes of float32. A turn is some planes. The rows of a window are folded into one line, in vectors,
// and then the columns of that line: a window of 3×3 with steps of 2 takes three passes over single elements instead of nine.
type poolTask struct {
	dst, x      []float32
	planes, per int // all, and those of a turn
	win         heldWindow
	start       float32
	fold        func(dst, x []float32, stride int)
	divides     bool // the sums are divided by the numbers of their terms
	padded      bool // of which those in the padding are some
}

var poolTasks freelist[poolTask]

// poolPlanes runs a task with a window, which it sets as well as the turns.
func poolPlanes(task poolTask, win Window) {
	t := poolTasks.get()
	*t = task
	t.win.hold(win)
	size := 1
	for _, n := range win.In {
		size *= n
	}
	t.per = max(1, rowTurn/max(size, 1))
	parallel((t.planes+t.per-1)/t.per, len(t.x), t)
	*t = poolTask{}
	poolTasks.put(t)
}

func (t *poolTask) run(i int) {
	var s slide
	win := t.win.window()
	s.init(win)
	line := scratch.get(s.inRow)
	for p := i * t.per; p < min((i+1)*t.per, t.planes); p++ {
		src := row(t.x, p, s.inSize)
		s.seek(0)
		for r := range s.rows {
			d := row(t.dst, p*s.rows+r, s.outRow)
			fill(d, t.start)
			if s.foldRows(line, src, t.fold) {
				s.foldColumns(d, line, t.fold)
			}
			if t.divides {
				averageRow(d, s.o, win, t.padded)
			}
			s.nextRow()
		}
	}
	scratch.put(line)
}

// heldWindow is a copy of a window that a task keeps: the slices of the caller are on its stack.
type heldWindow struct {
	rank  int
	sizes [7][maxRank]int
}

func (h *heldWindow) hold(w Window) {
	h.rank = len(w.In)
	for i, x := range [...][]int{w.In, w.Out, w.Kernel, w.Stride, w.Dilation, w.Pad, w.PadEnd} {
		copy(h.sizes[i][:], x)
	}
}

func (h *heldWindow) window() Window {
	of := func(i int) []int { return h.sizes[i][:h.rank] }
	return Window{In: of(0), Out: of(1), Kernel: of(2), Stride: of(3), Dilation: of(4), Pad: of(5), PadEnd: of(6)}
}

// foldRows folds the input rows of the present row's taps into a line, and reports whether there are any.
func (s *slide) foldRows(line, src []float32, fold func(dst, x []float32, stride int)) (any bool) {
	for s.nextTap() {
		if from := src[s.src:][:s.inRow]; any {
			fold(line, from, 1)
		} else {
			copy(line, from)
		}
		any = true
	}
	return any
}

// foldColumns folds the columns of a line into the windows of a row.
func (s *slide) foldColumns(dst, line []float32, fold func(dst, x []float32, stride int)) {
	for k := range s.taps {
		if lo, hi, at := s.span(k); lo < hi {
			fold(dst[lo:hi], line[at:], s.rowStride)
		}
	}
}
