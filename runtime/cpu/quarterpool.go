package cpu

// A quarter window is the commonest of pooling: 2×2 elements that meet no other window.

// isQuarter reports whether win is 2×2 with steps of 2 and no padding.
func isQuarter(win Window) bool {
	for i, k := range win.Kernel {
		if k != 2 || win.Stride[i] != 2 || win.Dilation[i] != 1 || win.Pad[i] != 0 || 2*win.Out[i] > win.In[i] {
			return false
		}
	}
	return len(win.Kernel) == 2
}

// quarterTask is the task of kernels with quarter windows; a turn takes some planes.
type quarterTask struct {
	dst, dy, x []float32
	planes     int
	h, w       int // of a plane of x
	oh, ow     int // of a plane of dy
	per        int // planes of a turn
}

var quarterTasks freelist[quarterTask]

// quarterGrad is [MaxPoolGrad] for a quarter window; dst begins as zeros.
func quarterGrad(dst, dy, x []float32, planes int, win Window) {
	t := quarterTasks.get()
	*t = quarterTask{dst: dst, dy: dy, x: x, planes: planes, h: win.In[0], w: win.In[1], oh: win.Out[0], ow: win.Out[1]}
	t.per = max(1, rowTurn/(t.h*t.w))
	parallel((planes+t.per-1)/t.per, planes*t.h*t.w, t)
	*t = quarterTask{}
	quarterTasks.put(t)
}

func (t *quarterTask) run(i int) {
	for p := i * t.per; p < min((i+1)*t.per, t.planes); p++ {
		for r := range t.oh {
			at := p*t.h*t.w + 2*r*t.w
			dy := t.dy[(p*t.oh+r)*t.ow:][:t.ow]
			quarterRow(t.dst[at:], t.x[at:], dy, t.w)
		}
	}
}

// quarterRow gives each element of dy to the first of the largest of its four elements, or to the first NaN; a row of x
// has w.
func quarterRow(dst, x, dy []float32, w int) {
	n := 2 * len(dy)
	low, x, dlow, dst := x[w:][:n], x[:n], dst[w:][:n], dst[:n]
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
