package cpu

import "math"

// MaxPoolLast32 is [MaxPool] for images with the channels last, over one or two
// spatial axes.
func MaxPoolLast32(dst, x []float32, images, channels int, win Window) {
	if len(dst) == 0 {
		return
	}
	t := tapTasks.get()
	*t = tapTask{dst: dst, x: x, channels: channels, kind: tapsLargest, grid: newGrid(win)}
	t.do(images)
}

// AveragePoolLast32 is [AveragePool] for images with the channels last, over one
// or two spatial axes.
func AveragePoolLast32(dst, x []float32, images, channels int, padded bool, win Window) {
	if len(dst) == 0 {
		return
	}
	if volume(win.Kernel) == 0 { // the mean of an empty image
		fill(dst, float32(math.NaN()))
		return
	}
	t := tapTasks.get()
	*t = tapTask{dst: dst, x: x, channels: channels, kind: tapsTotal, padded: padded, grid: newGrid(win)}
	t.do(images)
}

// ReduceMeanLast32 is the mean of each channel of images with the channels last, or 0 for images without
// pixels; win is a whole image.
func ReduceMeanLast32(dst, x []float32, images, channels int, win Window) {
	if volume(win.Kernel) == 0 {
		clear(dst)
		return
	}
	AveragePoolLast32(dst, x, images, channels, false, win)
}

// tapKind is the processing of a window's elements.
type tapKind uint8

const (
	tapsWeighted tapKind = iota
	tapsLargest
	tapsTotal
)

// tapWeights is what computes windows with weights. The functions keep nothing of their arguments.
type tapWeights struct {
	slide func(t *tapTask, k *tapLine, l, n int) // computes n lines of an image from line l on; nil if windows have one tap
	fold  func(t *tapRun, pixels int)
}

var tapTasks freelist[tapTask]

// tapTask is the task of folding windows of images with the channels last, each channel separately. A turn
// computes a few lines, or some channels of a line.
type tapTask struct {
	dst, x, w, bias, res []float32
	channels             int
	kind                 tapKind
	weights              tapWeights // with tapsWeighted
	padded               bool       // averages count the padding
	act                  Act
	grid
	perTurn int
	parts   int // the number of parts of a line's channels; 1 if turns are lines
}

// do runs the task and gives it back.
func (t *tapTask) do(images int) {
	lines := images * t.oh
	cost := t.ow * t.channels * (t.kh*t.kw + 4) / 20 // of a line, in nanoseconds
	const least = 2000                               // nanoseconds that a turn should take
	together := lines                                // kernels compute pixels in a column together
	if n := Threads(); n > 1 {
		together = lines / (3 * n)
	}
	t.perTurn = max(1, least/(cost+1), min(together, 16))
	t.parts = 1
	if t.ow == 1 && lines < Threads() { // for example in averages of whole images
		t.parts = max(1, min(2*Threads()/lines, lines*cost/least, t.channels/leastPart))
		t.perTurn = 1
	}
	parallel((lines+t.perTurn-1)/t.perTurn*t.parts, lines*cost, t)
	*t = tapTask{}
	tapTasks.put(t)
}

// leastPart is the minimum number of channels of a turn: runs of a few cache lines.
const leastPart = 64

func (t *tapTask) run(i int) {
	if t.parts > 1 {
		vectors := (t.channels + panel - 1) / panel
		part := func(i int) int { return min(i*vectors/t.parts*panel, t.channels) }
		t.runPart(i/t.parts, part(i%t.parts), part(i%t.parts+1))
		return
	}
	last := min((i+1)*t.perTurn, len(t.dst)/(t.ow*t.channels))
	for l := i * t.perTurn; l < last; {
		n := min(last-l, t.oh-l%t.oh) // lines of one image
		t.runLines(l, n)
		l += n
	}
}

// runPart computes channels from ≤ c < to of a line of one pixel.
func (t *tapTask) runPart(l, from, to int) {
	k, rest := t.start()
	t.begin(&k, l)
	k.narrow(from, to)
	t.fold(&k, 0, 1)
	t.finish(l*t.channels+from, to-from, rest)
}

// start returns the state for the first line, and the part of the activation that finish must apply.
func (t *tapTask) start() (k tapLine, rest Act) {
	k.low, k.high = float32(math.Inf(-1)), float32(math.Inf(1))
	if t.res == nil && t.kind == tapsWeighted {
		k.low, k.high, rest = t.act.bounds()
		return k, rest
	}
	return k, t.act
}

// finish adds the residual to n elements and applies the rest of the activation.
func (t *tapTask) finish(at, n int, rest Act) {
	d := t.dst[at:][:n]
	if t.res != nil {
		VecAdd32(d, d, t.res[at:][:n])
	}
	rest.apply(d)
}

// runLines computes n lines from line l on.
func (t *tapTask) runLines(l, n int) {
	k, rest := t.start()
	if t.begin(&k, l); t.kind == tapsWeighted && k.slides() {
		t.weights.slide(t, unescaped(&k), l, n)
	} else {
		t.runMiddles(&k, l, n)
		t.runEnds(&k, l, n)
	}
	size := t.ow * t.channels
	t.finish(l*size, n*size, rest)
}

// runMiddles computes the pixels of lines whose windows have all taps of a line.
func (t *tapTask) runMiddles(k *tapLine, l, n int) {
	for i := range n {
		t.begin(k, l+i)
		for x := t.lo; x < t.hi; {
			pixels := k.wide(x)
			t.fold(k, x, pixels)
			x += pixels
		}
	}
}

// runEnds computes the pixels at both ends of lines, whose windows have fewer taps. Kernels compute pixels in
// a column together.
func (t *tapTask) runEnds(k *tapLine, l, n int) {
	for i := 0; i < n && t.hi-t.lo < t.ow; {
		t.begin(k, l+i)
		lines := k.tall(n - i)
		k.xPixel, k.dPixel = t.sh*t.iw*t.channels, t.ow*t.channels
		for x := range t.ow {
			if x < t.lo || x >= t.hi {
				t.fold(k, x, lines)
			}
		}
		i += lines
	}
}

// begin sets k to a line.
func (t *tapTask) begin(k *tapLine, l int) {
	size := t.ih * t.iw * t.channels
	k.init(&t.grid, t.dst[l*t.ow*t.channels:], t.x[l/t.oh*size:][:size], t.w, t.channels, l%t.oh)
	k.bias = t.bias
}

// fold folds the windows of a number of pixels from pixel x on.
func (t *tapTask) fold(k *tapLine, x, pixels int) {
	k.seek(x)
	switch {
	case k.rows == 0 || k.taps == 0:
		for range pixels {
			t.writeEmpty(k)
			k.dst = k.dst[min(k.dPixel, len(k.dst)):]
		}
	case t.kind == tapsWeighted:
		t.weights.fold(unescaped(&k.tapRun), pixels)
	case t.kind == tapsLargest:
		k.largest(pixels)
	default:
		k.count = float32(k.counted(x, t.padded))
		k.total(pixels)
	}
}

// writeEmpty writes the result of a window without inputs.
func (t *tapTask) writeEmpty(k *tapLine) {
	d := k.dst[:k.channels]
	switch t.kind {
	case tapsWeighted:
		for c := range d {
			d[c] = clamp32(k.bias[c], k.low, k.high)
		}
	case tapsLargest:
		fill(d, k.low)
	default:
		clear(d)
	}
}

// counted returns the number of taps of pixel x in the image, or with padded also in the padding.
func (t *tapLine) counted(x int, padded bool) int {
	if !padded {
		return t.rows * t.taps
	}
	within := func(begin, size, pad, padEnd, taps, dilation int) int {
		from, to := tapsInside(begin+pad, size+pad+padEnd, taps, dilation)
		return to - from
	}
	return within(t.y*t.sh-t.ph, t.ih, t.ph, t.phEnd, t.kh, t.dh) * within(x*t.sw-t.pw, t.iw, t.pw, t.pwEnd, t.kw, t.dw)
}

// bounds splits an activation into bounds of its argument and the rest.
func (act Act) bounds() (low, high float32, rest Act) {
	switch inf := float32(math.Inf(1)); act {
	case ActRelu:
		return 0, inf, ActNone
	case ActRelu6:
		return 0, 6, ActNone
	default:
		return -inf, inf, act
	}
}
