package cpu

// convGradTask is the task of a gradient of a convolution of float32. A turn is a run of images.
type convGradTask struct {
	turn func(t *convGradTask, i, from, to int) // turn i: images from to to-1

	dst, dy, x, w, bias []float32 // the arguments of the kernel; w holds filters as columns
	part                []float32 // by turn: its part of the gradient of the filters
	images, groups      int
	depth, rows         int // channels and filters of a group
	taps, places        int // the number of taps of a filter, and of elements of a channel of the output
	turns               int
	s                   slide
	wide                wideConv
	isWide              bool
}

var convGradTasks freelist[convGradTask]

// convGradTurns is the maximum number of runs of images. The number of runs depends only on the shape, and so
// does the order of the sums.
const convGradTurns = 16

func newConvGrad(images, channels, filters, groups int, win Window) *convGradTask {
	t := convGradTasks.get()
	*t = convGradTask{images: images, groups: groups, depth: channels / groups, rows: filters / groups, turns: min(convGradTurns, images)}
	t.s.init(win)
	t.wide, t.isWide = newWide(win)
	t.taps, t.places = t.depth*t.s.kernelSize, t.s.rows*t.s.outRow
	return t
}

func (t *convGradTask) do() {
	parallel(t.turns, t.images*t.groups*t.rows*t.taps*t.places/8, t)
}

func (t *convGradTask) free() {
	*t = convGradTask{}
	convGradTasks.put(t)
}

func (t *convGradTask) run(i int) { t.turn(t, i, i*t.images/t.turns, (i+1)*t.images/t.turns) }

func convGradWeight32(dst, dy, x []float32, s ConvShape) {
	t := newConvGrad(s.Images, s.Channels, s.Filters, s.Groups, s.Window)
	t.turn, t.dy, t.x = (*convGradTask).weightTurn, dy, x
	if t.isWide && AllFinite(x) { // it is multiplied with the zeros between rows
		t.turn = (*convGradTask).wideWeightTurn
	}
	t.part = scratch.get(t.turns * len(dst))
	t.do()
	sum := t.part[:len(dst)]
	for i := 1; i < t.turns; i++ {
		VecAdd32(sum, sum, t.part[i*len(dst):])
	}
	for g := range s.Groups {
		n := t.rows * t.taps
		transpose(dst[g*n:], sum[g*n:], t.taps, t.rows, t.taps, t.rows)
	}
	scratch.put(t.part)
	t.free()
}

// weightTurn sums the gradients of the filters, as columns, over some images.
func (t *convGradTask) weightTurn(i, from, to int) {
	n := t.groups * t.rows * t.taps
	part := t.part[i*n:][:n]
	clear(part)
	cols := scratch.get(t.taps * t.places)
	s := t.s
	for i := from * t.groups; i < to*t.groups; i++ {
		gather(cols, t.x[i*t.depth*s.inSize:][:t.depth*s.inSize], t.depth, &s)
		d := part[i%t.groups*t.rows*t.taps:]
		product32(d, cols, t.dy[i*t.rows*t.places:], GemmShape{M: t.taps, K: t.places, N: t.rows, TransB: true, Alpha: 1, Beta: 1})
	}
	scratch.put(cols)
}

func convTranspose32(dst, x, w, bias []float32, s ConvShape) {
	t := newConvGrad(s.Images, s.Filters, s.Channels, s.Groups, s.Window)
	t.turn, t.dst, t.dy, t.bias = (*convGradTask).inputTurn, dst, x, bias
	if t.isWide && AllFinite(w) { // they are multiplied with the zeros between rows
		t.turn = (*convGradTask).wideInputTurn
	}
	t.w = scratch.get(len(w))
	for g := range s.Groups {
		n := t.rows * t.taps
		transpose(t.w[g*n:], w[g*n:], t.rows, t.taps, t.rows, t.taps)
	}
	t.do()
	scratch.put(t.w)
	t.free()
}

// inputTurn computes the gradients of some images.
func (t *convGradTask) inputTurn(_, from, to int) {
	cols := scratch.get(t.taps * t.places)
	s := t.s
	for i := from * t.groups; i < to*t.groups; i++ {
		g := i % t.groups
		product32(cols, t.w[g*t.rows*t.taps:], t.dy[i*t.rows*t.places:], GemmShape{M: t.taps, K: t.rows, N: t.places, Alpha: 1})
		for c := range t.depth {
			d := t.dst[(i*t.depth+c)*s.inSize:][:s.inSize]
			fill(d, t.biasOf(g*t.depth+c))
			spread(d, cols[c*s.kernelSize*t.places:], &s)
		}
	}
	scratch.put(cols)
}
