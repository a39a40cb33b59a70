package cpu

// depthBlock is the number of channels that are packed together.
const depthBlock = 64

// PackDepth8Size returns how many bytes [PackDepth8] writes.
func PackDepth8Size(channels, taps int) int {
	return (channels + depthBlock - 1) / depthBlock * depthBlock * 4 * quadsOf(taps)
}

// PackDepth8 packs filters of one channel each, [channels, taps], for [QDepthwise]: blocks of 64 channels,
// and in each block four taps after the other, with the channels in the order of the micro-kernels.
//
//	for c := range channels {
//		for t := range taps {
//			dst[c/64*64*taps4 + t/4*256 + c%16/4*64 + c%64/16*16 + c%4*4 + t%4] = w[c*taps+t]
//		}
//	}
//
// where taps4 is taps rounded up to a multiple of four.
func PackDepth8(dst, w []int8, channels, taps int) {
	clear(dst)
	if taps == 0 {
		return // empty filters
	}
	fours := quadsOf(taps)
	for c := range channels {
		d := dst[c/depthBlock*depthBlock*4*fours+c%16/4*depthBlock+c%depthBlock/16*16+c%4*4:]
		for t, v := range w[c*taps:][:taps] {
			d[t/4*4*depthBlock+t%4] = v
		}
	}
}

// SplitTaps writes filters of wider integers, [channels, taps], as filters of int8 with a multiple of the
// taps. The integer of a tap is the sum of its parts.
func SplitTaps(dst []int8, w []int16, channels, taps, parts int) {
	for c := range channels {
		for t, v := range w[c*taps:][:taps] {
			for p := range parts {
				part := max(-128, min(v, 127))
				dst[(c*parts+p)*taps+t] = int8(part)
				v -= part
			}
		}
	}
}

// QDepthwise is [QConv] for as many groups as channels and filters, of which there are two at least. [PackDepth8] has packed the filters. If
// they have a multiple of the window's taps, the window is repeated.
func QDepthwise[D int8 | uint8 | int32 | float32, X int8 | uint8](dst []D, x []X, packed []int8, q Requant, padding int, s DepthwiseShape) {
	if len(dst) == 0 {
		return
	}
	var b byteImage
	p := patchRows.get()
	shape := ConvShape{Images: s.Images, Channels: s.Channels, Groups: s.Channels, Window: s.Window}
	b.init(p, asBytes(x), flipSigned[X](), byte(padding), shape, s.Channels%depthBlock != 0, s.Images*volume(s.Window.Out)*len(packed)/byteSpeed())
	t := byteDepths.get()
	t.patches, t.image, t.weights = p, b.image, asBytes(packed)
	t.blocks = (s.Channels + depthBlock - 1) / depthBlock
	t.fours = len(packed) / (t.blocks * 4 * depthBlock)
	t.out = newByteOut(dst, q.Add, nil, q.Mult, q.Zero, q.Relu, s.Channels)
	t.taps = t.taps[:0]
	for i := range 4 * t.fours {
		t.taps = append(t.taps, p.starts[i%len(p.starts)])
	}
	last := p.axes - 1
	t.width = p.out[last]
	t.pixels = min(t.width, max(1, 4096/(t.blocks*depthBlock))) // their sums stay in L1
	lines := s.Images * volume(s.Window.Out) / t.width
	cost := t.width * t.blocks * (8 + 12*t.fours) // nanoseconds of a line
	t.perTurn = max(1, 2000/cost)
	t.lines = lines
	parallel((lines+t.perTurn-1)/t.perTurn, lines*cost, t)
	t.patches, t.image, t.weights, t.out = nil, nil, nil, byteOut{}
	byteDepths.put(t)
	b.done(p)
}

var byteDepths freelist[byteDepth]

// byteDepth is the task of a convolution of filters of one channel each. A turn computes a few lines.
type byteDepth struct {
	*patches
	image, weights []byte
	out            byteOut
	taps           []int // where each begins, relative to a pixel; whole groups of four
	fours, blocks  int
	width, pixels  int // of a line, and of the part that is computed at a time
	lines, perTurn int
}

func (t *byteDepth) run(i int) {
	buf, sums := scratchInts(t.pixels * t.blocks * depthBlock)
	for l := i * t.perTurn; l < min((i+1)*t.perTurn, t.lines); l++ {
		at := t.line(l)
		for x := 0; x < t.width; x += t.pixels {
			n := min(t.pixels, t.width-x)
			t.sum(sums, at+x*t.step[t.axes-1], n)
			t.out.store(sums, t.blocks*depthBlock, l*t.width+x, 0, n, t.channels, nil)
		}
	}
	scratch.put(buf)
}

// sum computes the sums of n pixels, the first of which begins at the given place.
func (t *byteDepth) sum(sums []int32, at, n int) {
	k := depthTile{taps: t.taps, fours: t.fours, pixels: n, from: t.step[t.axes-1], step: 4 * t.blocks * depthBlock}
	for c := 0; c < t.channels; {
		width := depthWidth(t.channels - c)
		k.image, k.to = t.image[at+c:], sums[c:]
		k.weights = t.weights[c/depthBlock*4*depthBlock*t.fours+c%depthBlock:]
		k.run(width)
		c += width
	}
}

// depthTile is the argument of a micro-kernel for some channels. Assembly uses the offsets of its fields.
type depthTile struct {
	image   []byte
	taps    []int
	weights []byte
	to      []int32
	fours   int
	pixels  int
	from    int // the distance of pixels of the image, in bytes
	step    int // and of the sums
}

// runGo is the micro-kernel for 16 channels or more.
func (t *depthTile) runGo(width int) {
	for p := range t.pixels {
		x := t.image[p*t.from:]
		for c := range width {
			w := t.weights[c%16/4*depthBlock+c/16*16+c%4*4:]
			sum := int32(0)
			for i, at := range t.taps {
				sum += int32(x[at+c]) * int32(int8(w[i/4*4*depthBlock+i%4]))
			}
			t.to[p*t.step/4+c] = sum
		}
	}
}
