package cpu

// The first convolution of a model reads the planes of an image, its channels, and has some dozens of filters at most. Kernels
// read the planes where they are, and keep the sums of a tile in registers for the whole window (_asm/convplanes). Pixels with
// a part of their windows in the padding have fewer lines and taps. They are computed apart, so no plane is copied with padding.

// planeTile is the argument of a kernel. Assembly uses the offsets of its fields. Distances are in bytes.
type planeTile struct {
	x, w, bias, dst *float32
	lines           *planeLine // of a window, in all planes
	count, taps     int        // of these lines, and of the taps of each
	at, to          int        // where the first window begins in x, and its pixel in dst
	step, pixel     int        // from a window to the next, and from its pixel in dst
	tiles           int        // that are computed, one after the other
	act             int        // a plane activation
}

// planeLine is where a line of a window begins, after the beginning of the window and after that of the filters.
type planeLine struct{ x, w int }

// Activations that kernels apply.
const (
	planeRelu = 1 + iota
	planeRelu6
	planeHardSwish
)

// planeAct returns the value of an activation in a planeTile. It is 0 if kernels do not apply it.
func planeAct(act Act) int {
	switch act {
	case ActRelu:
		return planeRelu
	case ActRelu6:
		return planeRelu6
	case ActHardSwish:
		return planeHardSwish
	}
	return 0
}

const (
	planeSmall = 4   // the pixels of a small tile, which each number of filters has
	planeTaps  = 196 // the most taps of a window in all planes: the filters of a tile stay in L1
)

// planeConv is the task of a convolution of planes. A turn computes some lines of an image.
type planeConv struct {
	dst, x, w, bias []float32
	planes, filters int
	in, out         [2]int
	kernel, stride  [2]int
	pad             [2]int
	dilation        int       // of the lines of a window
	inner           [2][2]int // the lines and pixels of the result, from ≤ i < to, whose windows are inside
	blocks          int       // turns of an image
	act             Act
}

var planeConvs freelist[planeConv]

// convPlanes computes convLast32 of planes, the first axis of images with one channel, and reports whether it can.
func convPlanes(dst, x, w, bias, res []float32, s ConvShape, act Act, width int) bool {
	if !arePlanes(s) || len(x) == 0 || res != nil || width != s.Filters {
		return false
	}
	win := s.Window
	t := planeConvs.get()
	*t = planeConv{
		dst: dst, x: x, w: w[:PackB32Size(volume(win.Kernel), s.Filters)], bias: bias, planes: win.In[0], filters: s.Filters,
		in: [2]int(win.In[1:]), out: [2]int(win.Out[1:]), kernel: [2]int(win.Kernel[1:]), stride: [2]int(win.Stride[1:]),
		pad: [2]int(win.Pad[1:]), dilation: win.Dilation[1], act: act,
	}
	t.inner = [2][2]int{t.inside(0, win.Dilation[1]), t.inside(1, 1)}
	ok := t.inner[1][1]-t.inner[1][0] >= planeSmall
	if ok {
		t.do(s.Images)
	}
	*t = planeConv{}
	planeConvs.put(t)
	return ok
}

// arePlanes reports whether there are kernels for a convolution of planes.
func arePlanes(s ConvShape) bool {
	win := s.Window
	if s.Channels != 1 || s.Groups != 1 || len(win.Kernel) != 3 || win.Kernel[0] != win.In[0] || win.Out[0] != 1 || win.Pad[0] != 0 {
		return false
	}
	together, _ := planeFilters(s.Filters)
	return together > 0 && s.Filters%8 == 0 && win.Dilation[0] == 1 && win.Dilation[2] == 1 && volume(win.Kernel) <= planeTaps
}

// inside returns the lines or pixels of the result whose windows are inside.
func (t *planeConv) inside(axis, dilation int) (inner [2]int) {
	inner[0] = min((t.pad[axis]+t.stride[axis]-1)/t.stride[axis], t.out[axis])
	if last := t.in[axis] + t.pad[axis] - (t.kernel[axis]-1)*dilation - 1; last >= 0 {
		inner[1] = min(last/t.stride[axis]+1, t.out[axis])
	}
	inner[1] = max(inner[0], inner[1])
	return inner
}

func (t *planeConv) do(images int) {
	var zeros []float32
	if t.bias == nil {
		zeros = scratch.get(t.filters)
		clear(zeros)
		t.bias = zeros
	}
	t.bias = t.bias[:t.filters]
	t.blocks = 1
	if threads := Threads(); threads > 1 {
		t.blocks = max(1, min((turnsOfThread*threads+images-1)/images, t.out[0]/planeSmall))
	}
	parallel(images*t.blocks, len(t.dst)*t.taps()/tileSpeed(), t)
	scratch.put(zeros)
}

// taps returns the taps of a window in all planes.
func (t *planeConv) taps() int { return t.planes * t.kernel[0] * t.kernel[1] }

func (t *planeConv) run(i int) {
	image, block := i/t.blocks, i%t.blocks
	c := planeTurns.get()
	c.planeConv = t
	c.result = row(t.dst, image, t.out[0]*t.out[1]*t.filters)
	c.tile.x, c.tile.dst = &row(t.x, image, t.planes*t.in[0]*t.in[1])[0], &c.result[0]
	c.tile.lines, c.tile.act = &c.lines[0], planeAct(t.act)
	y1 := (block + 1) * t.out[0] / t.blocks
	for y := block * t.out[0] / t.blocks; y < y1; y += c.n {
		c.y, c.n = y, 1
		if t.inner[0][0] <= y && y+planeSmall <= min(t.inner[0][1], y1) {
			c.n = planeSmall
		}
		c.compute()
	}
	c.planeConv, c.result, c.tile = nil, nil, planeTile{}
	planeTurns.put(c)
}

// planeTurn is a turn.
type planeTurn struct {
	*planeConv
	result           []float32 // of the image
	y, n             int       // the present lines of the result, from y on: one, or planeSmall lines whose windows are inside
	together, pixels int       // the filters of a kernel, and the pixels of its large tiles
	lines            [planeTaps]planeLine
	tile             planeTile
}

var planeTurns freelist[planeTurn]

// compute computes the present lines.
func (c *planeTurn) compute() {
	c.setLines()
	for f := 0; f < c.filters; f += c.together {
		c.together, c.pixels = planeFilters(c.filters - f)
		c.computeFilters(f)
	}
	if c.act != ActNone && c.tile.act == 0 {
		size := c.out[1] * c.filters
		c.act.apply(c.result[c.y*size:][:c.n*size])
	}
}

// setLines lists the lines of the present windows that are inside.
func (c *planeTurn) setLines() {
	top := c.y*c.stride[0] - c.pad[0]
	c.tile.count = 0
	for i := range c.planes * c.kernel[0] {
		plane, at := i/c.kernel[0], i%c.kernel[0]*c.dilation
		if 0 <= top+at && top+at < c.in[0] {
			c.lines[c.tile.count] = planeLine{4 * (plane*c.in[0] + at) * c.in[1], 4 * i * c.kernel[1] * panel}
			c.tile.count++
		}
	}
}

// computeFilters computes the filters from f on. The pixels of a column are a small tile, or one pixel computed as often.
func (c *planeTurn) computeFilters(f int) {
	c.tile.bias = &c.bias[f]
	w := c.w[f/panel*panel*c.taps()+f%panel:]
	c.tile.w, c.tile.taps = &w[0], c.kernel[1]
	c.tile.step, c.tile.pixel = 4*c.stride[1], 4*c.filters
	for y := c.y; y < c.y+c.n; y++ {
		c.computeLine(y, f)
	}
	c.tile.step, c.tile.pixel = 0, 0
	if c.n == planeSmall {
		c.tile.step, c.tile.pixel = 4*c.stride[0]*c.in[1], 4*c.filters*c.out[1]
	}
	for x := range c.inner[1][0] {
		c.computeColumn(x, f, w)
	}
	for x := c.inner[1][1]; x < c.out[1]; x++ {
		c.computeColumn(x, f, w)
	}
}

// computeLine computes the pixels of a line whose windows are inside. The last tile may have some of the one before.
func (c *planeTurn) computeLine(y, f int) {
	x, end := c.inner[1][0], c.inner[1][1]
	if tiles := (end - x) / c.pixels; tiles > 0 {
		c.place(y, x, f)
		c.run(c.pixels, tiles)
		x += tiles * c.pixels
		if end-x > c.pixels/2 {
			c.place(y, end-c.pixels, f)
			c.run(c.pixels, 1)
			return
		}
	}
	for ; x < end; x += planeSmall {
		c.place(y, min(x, end-planeSmall), f)
		c.run(planeSmall, 1)
	}
}

// computeColumn computes pixels of a column whose windows have taps in the padding.
func (c *planeTurn) computeColumn(x, f int, w []float32) {
	left, count := x*c.stride[1]-c.pad[1], c.tile.count
	from, to := max(0, -left), min(c.kernel[1], c.in[1]-left)
	if from >= to {
		from, c.tile.count = 0, 0
	}
	c.place(c.y, x, f)
	c.tile.at += 4 * from
	c.tile.w, c.tile.taps = &w[from*panel], to-from
	c.run(planeSmall, 1)
	c.tile.count = count
}

// place makes the next tile begin with a pixel.
func (c *planeTurn) place(y, x, f int) {
	c.tile.at = 4 * ((y*c.stride[0]-c.pad[0])*c.in[1] + x*c.stride[1] - c.pad[1])
	c.tile.to = 4 * ((y*c.out[1]+x)*c.filters + f)
}

// run computes tiles.
func (c *planeTurn) run(pixels, tiles int) {
	c.tile.tiles = tiles
	c.tile.run(pixels, c.together)
}
