package cpu

// A quarter window is the most common one of pooling: 2×2 elements that do not overlap other windows.

// isQuarterPool reports whether win is 2×2 with steps of 2 and no padding.
func isQuarterPool(win Window) bool {
	for i, k := range win.Kernel {
		if k != 2 || win.Stride[i] != 2 || win.Dilation[i] != 1 || win.Pad[i] != 0 || 2*win.Out[i] > win.In[i] {
			return false
		}
	}
	return len(win.Kernel) == 2
}

// quarterTask is the task of kernels with quarter windows. A turn is some planes.
type quarterTask struct {
	plane  func(t *quarterTask, p int)
	dst    []float32
	x, dy  []float32
	planes int
	h, w   int // of a plane of x
	oh, ow int // of a plane of windows
	per    int // planes of a turn
}

var quarterTasks freelist[quarterTask]

func quarterPool(plane func(t *quarterTask, p int), dst, x, dy []float32, planes int, win Window) {
	t := quarterTasks.get()
	*t = quarterTask{plane: plane, dst: dst, x: x, dy: dy, planes: planes, h: win.In[0], w: win.In[1], oh: win.Out[0], ow: win.Out[1]}
	t.per = max(1, rowTurn/(t.h*t.w))
	parallel((planes+t.per-1)/t.per, planes*t.h*t.w/2, t)
	*t = quarterTask{}
	quarterTasks.put(t)
}

func (t *quarterTask) run(i int) {
	for p := i * t.per; p < min((i+1)*t.per, t.planes); p++ {
		t.plane(t, p)
	}
}

// maxPlane is [MaxPool] of a plane.
func (t *quarterTask) maxPlane(p int) {
	x, dst := row(t.x, p, t.h*t.w), row(t.dst, p, t.oh*t.ow)
	for r := range t.oh {
		quarterMax(row(dst, r, t.ow), x[2*r*t.w:], t.w)
	}
}

// gradPlane is [MaxPoolGrad] of a plane, which begins as zeros.
func (t *quarterTask) gradPlane(p int) {
	x, dst, dy := row(t.x, p, t.h*t.w), row(t.dst, p, t.h*t.w), row(t.dy, p, t.oh*t.ow)
	for r := range t.oh {
		quarterMaxGrad(dst[2*r*t.w:], x[2*r*t.w:], row(dy, r, t.ow), t.w)
	}
}

// quarterMaxGo computes a row of windows, whose lower row in x begins w floats after the upper one:
//
//	for i := range dst {
//		dst[i] = max(x[2*i], x[2*i+1], x[w+2*i], x[w+2*i+1])
//	}
func quarterMaxGo(dst, x []float32, w int) {
	n := 2 * len(dst)
	x, low := x[:n], x[w:][:n]
	for i := range dst {
		dst[i] = max(max(x[2*i], x[2*i+1]), max(low[2*i], low[2*i+1]))
	}
}

// quarterMaxGradGo writes each element of dy to the first largest element of its window, or to the first NaN,
// and zeros to the others. The rows are as in [quarterMaxGo].
func quarterMaxGradGo(dst, x, dy []float32, w int) {
	n := 2 * len(dy)
	x, low, dst, dlow := x[:n], x[w:][:n], dst[:n], dst[w:][:n]
	clear(dst)
	clear(dlow)
	for i, g := range dy {
		a, b, c, d := x[2*i], x[2*i+1], low[2*i], low[2*i+1]
		top := max(max(a, b), max(c, d))
		switch {
		case a == top || a != a:
			dst[2*i] = g
		case b == top || b != b:
			dst[2*i+1] = g
		case c == top || c != c:
			dlow[2*i] = g
		default:
			dlow[2*i+1] = g
		}
	}
}
