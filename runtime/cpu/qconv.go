package cpu

// PackConv8Size returns how many bytes [PackConv8] writes.
func PackConv8Size(filters, depth, taps, joined, groups int) int {
	return groups * PackB8Size(conv8Depth(depth, taps, joined), filters/groups)
}

// conv8Depth returns the bytes of a packed column.
func conv8Depth(depth, taps, joined int) int {
	return taps / max(joined, 1) * 4 * quadsOf(joined*depth)
}

// PackConv8 packs filters, [filters, depth, taps], for [QConv]. For each group it is the result of [PackB8]
// for a matrix with a row for each tap and channel, in this order, and a column for each filter. Joined is
// the number of taps that are adjacent in an image; each run of them is filled with zeros to a multiple of
// four.
func PackConv8(dst, w []int8, filters, depth, taps, joined, groups int) {
	k, n := conv8Depth(depth, taps, joined), filters/groups
	buf, bytes := scratchBytes(n * k)
	rows := signedBytes(bytes)
	run := 4 * quadsOf(joined*depth)
	for g := range groups {
		clear(rows)
		for m := range n {
			from := w[(g*n+m)*depth*taps:]
			for t := range taps {
				for c := range depth {
					rows[m*k+t/joined*run+t%joined*depth+c] = from[c*taps+t]
				}
			}
		}
		PackB8T(dst[g*PackB8Size(k, n):][:PackB8Size(k, n)], rows, k, n)
	}
	scratch.put(buf)
}

// JoinedTaps returns the number of taps of a window that are adjacent in an image with the channels last:
// those of the last axis, if they include all channels and all pixels between them.
func JoinedTaps(groups int, win Window) int {
	last := len(win.Kernel) - 1
	if groups == 1 && win.Dilation[last] == 1 {
		return win.Kernel[last]
	}
	return 1
}

// QConv is a convolution of bytes and the processing of its sums, for images with the channels last and filters
// packed by [PackConv8]:
//
//	for n, o, m := range dst { // image, place, filter
//		sum := 0
//		for c, k := range w[m] { // channel, tap
//			// an int8 of x counts from -128 on: x+128
//			sum += x[n, o·stride + k·dilation - pad, c] * (w[m, c, k] - q.Shift[m])
//		}
//		dst[n, o, m] = sum, processed as q tells
//	}
//
// where x is padding outside its bounds.
func QConv[D int8 | uint8 | int32 | float32, X int8 | uint8](dst []D, x []X, packed []int8, q Requant, padding int, s ConvShape) {
	if len(dst) == 0 {
		return
	}
	var b byteImage
	p := patchRows.get()
	b.init(p, asBytes(x), flipSigned[X](), byte(padding), s, s.Channels/s.Groups%4 != 0, s.Images*volume(s.Window.Out)*len(packed)/byteSpeed())
	g := byteGemms.get()
	*g = byteGemm{
		a: b.image, b: asBytes(packed), m: s.Images * volume(s.Window.Out), k: p.depth, n: s.Filters / s.Groups, batch: s.Groups, strideA: p.depth,
		rows: p, out: newByteOut(dst, q.Add, q.Shift, q.Mult, q.Zero, q.Relu, s.Filters),
	}
	if p.pointwise() {
		g.rows, g.lda = nil, p.pixel
	}
	g.do()
	b.done(p)
}

// byteImage is the image of [patches] of unsigned bytes.
type byteImage struct {
	image []byte
	own   []float32
}

// byteSlack is the number of bytes after an image that micro-kernels may read.
const byteSlack = 64

// init describes the patches of x, and makes their image if it is not x. With slack it always makes one, as
// bytes must follow it. A loop of next nanoseconds reads the patches.
func (b *byteImage) init(p *patches, x []byte, flip, padding byte, s ConvShape, slack bool, next int) {
	p.init(s.Channels, s.Groups, s.Window, false, slack || flip != 0)
	b.image = x
	if !p.copied {
		return
	}
	b.own, b.image = scratchBytes(s.Images*p.whole + byteSlack)
	t := bytePadders.get()
	*t = padder[byte]{patches: p, image: b.image[:s.Images*p.whole], x: x, padding: padding, copyRows: copyRowsGo[byte]}
	t.do(next)
	*t = padder[byte]{}
	bytePadders.put(t)
	if flip != 0 {
		flipBytes(b.image, b.image, flip)
	}
}

func (b *byteImage) done(p *patches) {
	scratch.put(b.own)
	patchRows.put(p)
}
