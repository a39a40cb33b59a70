package cpu

// Groups of eight channels and eight filters fill half a vector of AVX-512, and are many small products. Two of them are
// computed together, in one pass over each line of an image (_asm/convpairs).

// pairDepth is the number of channels, and of filters, of each group of a pair.
const pairDepth = 8

// pairPixel is the number of floats of a pixel of a pair: the channels of the two groups alternate, and follow each other
// twice.
const pairPixel = 4 * pairDepth

// arePairs reports whether groups of filters are packed in pairs as well.
func arePairs(filters, depth, groups int) bool {
	return groups > 1 && depth == pairDepth && filters == groups*pairDepth
}

// pairsSize returns how many floats packPairs writes.
func pairsSize(filters, depth, taps, groups int) int {
	if !arePairs(filters, depth, groups) {
		return 0
	}
	return (groups + 1) / 2 * pairSize(taps)
}

// pairSize returns the number of floats of the filters of a pair.
func pairSize(taps int) int { return 2 * pairDepth * pairDepth * taps }

// pairStart returns the first group of a pair. If the number of groups is odd, the last pair has a group that the one
// before has, too.
func pairStart(pair, groups int) int { return min(2*pair, groups-2) }

// packPairs packs filters, [filters, depth, taps], of groups for which arePairs: for each pair and tap, in turn r filter f
// multiplies channel f+r modulo 8. The filters of the two groups alternate.
func packPairs(dst, w []float32, taps, groups int) {
	for i := range dst {
		second, f, r := i%2, i/2%pairDepth, i/2/pairDepth%pairDepth
		t, pair := i/pairSize(1)%taps, i/pairSize(taps)
		filter := (pairStart(pair, groups)+second)*pairDepth + f
		dst[i] = w[(filter*pairDepth+(f+r)%pairDepth)*taps+t]
	}
}

// pairTile is the argument of a kernel. Assembly uses the offsets of its fields. Distances are in bytes.
type pairTile struct {
	x, w, dst, bias *float32
	xLine           int // from a line of x to the next
	xStep           int // from the first line of the patches of a line of dst to that of the next
	pixel, line     int // from a pixel and a line of dst to the next
	taps            int // lines of the window
	relu            int // 1: negative sums become zero
}

// pairConv is the task of a convolution of pairs. A turn computes some pairs for some lines of an image.
type pairConv struct {
	dst, x, w, bias []float32
	groups, width   int // of x, and of a pixel of dst in floats
	in, out         [2]int
	pad, stride     [2]int
	taps            int // lines of the window, whose lines have three taps
	lines, pixels   int // of a tile
	chunks, blocks  int // turns of an image: of the pairs, and of the lines
	relu            int
}

var pairConvs freelist[pairConv]

// convPairs computes convLast32 in pairs, and reports whether it can.
func convPairs(dst, x, w, bias, res []float32, s ConvShape, act Act, width int) bool {
	win := s.Window
	if !arePairs(s.Filters, s.Channels/s.Groups, s.Groups) || len(win.Kernel) != 2 || win.Kernel[1] != 3 || win.Dilation[0] != 1 || win.Dilation[1] != 1 || win.Stride[1] > 2 {
		return false
	}
	lines, pixels := pairTileOf(win.Out[0], win.Out[1])
	after := res != nil || act != ActNone && act != ActRelu // what kernels cannot do
	if lines == 0 || after && width != s.Filters {
		return false
	}
	panels := s.Groups * PackB32Size(pairDepth*volume(win.Kernel), pairDepth)
	if len(w) == panels {
		return false // an older version has packed the filters
	}
	t := pairConvs.get()
	*t = pairConv{
		dst: dst, x: x, w: w[panels:], bias: bias, groups: s.Groups, width: width,
		in: [2]int(win.In), out: [2]int(win.Out), pad: [2]int(win.Pad), stride: [2]int(win.Stride), taps: win.Kernel[0], lines: lines, pixels: pixels,
	}
	if act == ActRelu && !after {
		t.relu = 1
	}
	t.do(s.Images)
	*t = pairConv{}
	pairConvs.put(t)
	if res != nil {
		VecAdd32(dst, dst, res)
	}
	if after {
		act.apply(dst)
	}
	return true
}

func (t *pairConv) do(images int) {
	t.chunks, t.blocks = 1, 1
	if threads := Threads(); threads > 1 {
		turns := (turnsOfThread*threads + images - 1) / images
		t.chunks = min(turns, t.pairs())
		t.blocks = max(1, min(turns/t.chunks, t.out[0]/(2*t.lines)))
	}
	cost := images * t.out[0] * t.out[1] * t.pairs() * pairSize(3*t.taps) / tileSpeed()
	parallel(images*t.blocks*t.chunks, cost, t)
}

func (t *pairConv) pairs() int { return (t.groups + 1) / 2 }

func (t *pairConv) run(i int) {
	chunk, i := i%t.chunks, i/t.chunks
	block, image := i%t.blocks, i/t.blocks
	c := pairLines{pairConv: t, image: image, y0: block * t.out[0] / t.blocks, y1: (block + 1) * t.out[0] / t.blocks}
	c.begin()
	for pair := chunk * t.pairs() / t.chunks; pair < (chunk+1)*t.pairs()/t.chunks; pair++ {
		c.compute(pair)
	}
	scratch.put(c.buffer)
}

// pairLines is a turn, for lines y0 ≤ y < y1 of the result. It keeps some lines of a pair of an image with padding.
type pairLines struct {
	*pairConv
	image, y0, y1 int
	channel       int // the first one of the pair
	buffer        []float32
	room          int  // lines in buffer
	first, end    int  // that it has
	padded        bool // all lines have a place in buffer, and their padding is there
	tile          pairTile
}

// nearPair is the number of floats of lines that stay in L1.
const nearPair = 6 << 10

// begin sets what all pairs of a turn have in common.
func (c *pairLines) begin() {
	c.room = max(c.height()+c.lines*c.stride[0], min(nearPair/c.lineSize(), c.all()))
	c.buffer = scratch.get(c.room * c.lineSize())
	c.tile = pairTile{
		xLine: 4 * c.lineSize(), xStep: 4 * c.lineSize() * c.stride[0],
		pixel: 4 * c.width, line: 4 * c.width * c.out[1], taps: c.taps, relu: c.relu,
	}
}

// height returns the number of lines of the image that a tile reads.
func (c *pairLines) height() int { return (c.lines-1)*c.stride[0] + c.taps }

// all returns the number of lines of the image that a turn reads.
func (c *pairLines) all() int { return (c.y1-c.y0-1)*c.stride[0] + c.taps }

// compute computes a pair, the lines of a tile together. The last tile may have lines in common with the one before.
func (c *pairLines) compute(pair int) {
	c.channel = pairStart(pair, c.groups) * pairDepth
	c.tile.w = &c.w[pair*pairSize(3*c.taps)]
	if c.bias != nil {
		_ = c.bias[c.channel+2*pairDepth-1]
		c.tile.bias = &c.bias[c.channel]
	}
	c.first = c.y0 * c.stride[0]
	c.end = c.first
	for y := c.y0; y < c.y1; y += c.lines {
		y = min(y, c.y1-c.lines)
		c.read(y*c.stride[0], y*c.stride[0]+c.height())
		c.computeTiles(y)
	}
	c.padded = c.room >= c.all()
}

// lineSize returns the number of floats of a line in buffer.
func (c *pairLines) lineSize() int { return ((c.out[1]-1)*c.stride[1] + 3) * pairPixel }

// read makes lines from ≤ l < to of the image with padding be in buffer.
func (c *pairLines) read(from, to int) {
	size := c.lineSize()
	if to > c.first+c.room {
		if kept := c.end - from; kept > 0 {
			copy(c.buffer[:kept*size], c.buffer[(from-c.first)*size:])
		}
		c.first, c.end = from, max(c.end, from)
	}
	for ; c.end < to; c.end++ {
		c.readLine(c.buffer[(c.end-c.first)*size:][:size], c.end-c.pad[0])
	}
}

// readLine writes line l of the image and its padding.
func (c *pairLines) readLine(dst []float32, l int) {
	pad := min(c.pad[1]*pairPixel, len(dst))
	n := min(c.in[1], (len(dst)-pad)/pairPixel)
	if l < 0 || l >= c.in[0] {
		n = 0
	}
	if !c.padded {
		clear(dst[:pad])
		clear(dst[pad+n*pairPixel:])
	}
	if n > 0 {
		channels := c.groups * pairDepth
		alternate(dst[pad:], c.x[(c.image*c.in[0]+l)*c.in[1]*channels+c.channel:], n, channels)
	}
}

// computeTiles computes lines from y on. The last tile may have pixels in common with the one before.
func (c *pairLines) computeTiles(y int) {
	at := (c.image*c.out[0]+y)*c.out[1]*c.width + c.channel
	_ = c.dst[at+(c.lines*c.out[1]-1)*c.width+2*pairDepth-1]
	from := (y*c.stride[0] - c.first) * c.lineSize()
	for x := 0; x < c.out[1]; x += c.pixels {
		x = min(x, c.out[1]-c.pixels)
		c.tile.x = &c.buffer[from+x*c.stride[1]*pairPixel]
		c.tile.dst = &c.dst[at+x*c.width]
		c.tile.run(c.lines, c.pixels, c.stride[1])
	}
}
