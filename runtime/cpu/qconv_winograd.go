package cpu

import "unsafe"

// QConvWinograd is [QConv] for one group of filters of 3×3 taps that are applied at every pixel; u is the result of
// [WinogradFilters8] for packed. If it is empty, this is QConv.
//
// It computes F(4×4, 3×3) like [Winograd32], in integers: the transforms of bytes have 16 bits, and are multiplied by those of
// filters without their denominators. Those of sums make up for them: they result in up to 576 times the sum of a pixel,
// modulo 2³². So the results are those of QConv.
func QConvWinograd[D int8 | uint8 | int32 | float32, X int8 | uint8](dst []D, x []X, packed, u []int8, q Requant, padding int, s ConvShape) {
	if len(u) == 0 {
		QConv(dst, x, packed, q, padding, s)
		return
	}
	if len(dst) == 0 {
		return
	}
	w := byteWinograds.get()
	*w = byteWinograd{
		x: asBytes(x), u: asWords(u), flip: flipSigned[X](), padding: byte(padding), channels: s.Channels, filters: s.Filters,
		grid: newGrid(s.Window), out: newByteOut(dst, q.Add, q.Shift, q.Mult, q.Zero, q.Relu, s.Filters),
	}
	w.th, w.tw = (w.oh+3)/4, (w.ow+3)/4
	w.tiles = s.Images * w.th * w.tw
	w.chunks = w.cut()
	var buf []float32
	if q.Shift != nil {
		buf, w.sums = scratchInts(s.Images * w.ih * w.ow)
		t := (*byteWinogradSums)(w)
		parallel(s.Images*w.ih, s.Images*w.ih*t.cost(), t)
	}
	parallel(w.chunks, w.productCost(w.tiles), w)
	scratch.put(buf)
	*w = byteWinograd{}
	byteWinograds.put(w)
}

// ConvIntegerWinograd is [ConvIntegerLast] as [QConvWinograd] is [QConv].
func ConvIntegerWinograd[X int8 | uint8](dst []int32, x []X, packed, u []int8, totals, shift []int32, xzp []X, s ConvShape) {
	buf, add := minusZeroPoint(totals, xzp)
	QConvWinograd(dst, x, packed, u, Requant{Add: add, Shift: shift}, int(zeroPoint(xzp, 0)), s)
	scratch.put(buf)
}

// asWords returns bytes that hold words of 16 bits as words, in the same memory.
func asWords(x []int8) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

var byteWinograds freelist[byteWinograd]

// byteWinograd is the task of a convolution. A turn computes all steps for a chunk of tiles, so that intermediate values stay
// in L2.
type byteWinograd struct {
	x                 []byte
	u                 []int16
	flip, padding     byte
	channels, filters int
	grid
	th, tw, tiles int // of an image, and of all
	chunks        int
	out           byteOut
	sums          []int32 // [images, ih, ow], as [byteWinogradSums] computes them; nil if they are not needed
}

// cut returns the number of chunks in which the tiles are computed: either enough for all threads, or one, with parts that are
// shared between them. Each chunk reads all of u.
func (w *byteWinograd) cut() int {
	const near = 1 << 19       // bytes of a chunk that stay in L2
	const least = 4 * wordRows // tiles for which it is worth reading u
	threads := Threads()
	most := max(least, near/(36*(2*w.channels+4*w.filters)))
	switch chunks := (w.tiles + most - 1) / most; {
	case chunks >= 3*threads || threads == 1:
		return chunks
	case w.tiles >= least*threads:
		return (chunks + threads - 1) / threads * threads
	}
	return 1
}

// productCost estimates the nanoseconds of the products of so many tiles.
func (w *byteWinograd) productCost(tiles int) int {
	return 36 * tiles * w.channels * w.filters / wordSpeed()
}

// matrixGap is the number of bytes after each of the 36 matrices of a chunk: without it, the transforms of a pixel would often
// be a power of two apart, and share a few places of the nearest cache.
const matrixGap = 64

func (w *byteWinograd) run(i int) {
	t0, t1 := i*w.tiles/w.chunks, (i+1)*w.tiles/w.chunks
	n := t1 - t0
	vStep, mStep := n*w.channels+matrixGap/2, n*w.filters+matrixGap/4
	vBuf, v := scratchBytes(2 * 36 * vStep)
	mBuf, m := scratchInts(36 * mStep)
	step := byteWinogradSteps.get()
	*step = byteWinogradStep{byteWinograd: w, t0: t0, n: n, v: asWords(signedBytes(v)), m: m, vStep: vStep, mStep: mStep}
	step.transform(fromPixels, 36*w.channels/16+40)
	step.what = products
	parallel(36, w.productCost(n), step)
	step.transform(toPixels, 36*w.filters/8+60)
	*step = byteWinogradStep{}
	byteWinogradSteps.put(step)
	scratch.put(vBuf)
	scratch.put(mBuf)
}
