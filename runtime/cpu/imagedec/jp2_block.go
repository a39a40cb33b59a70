package imagedec

// jp2Block is a code block: numbers of a band, coded by bit planes.
type jp2Block struct {
	rect       jp2Rect
	planes     int // bits of its largest number
	passes     int
	lengthBits int
	segments   []jp2Segment
	due        []jp2Due
}

// jp2Segment is coding passes with a common end of data.
type jp2Segment struct {
	data   []byte
	passes int
	raw    bool
}

// jp2Due is the part of a packet's body for a segment.
type jp2Due struct{ segment, passes, length int }

// Styles of code blocks.
const (
	styleBypass    = 1
	styleReset     = 2
	styleTerminate = 4
	styleCausal    = 8 // contexts do not depend on the rows below a stripe
	styleMarked    = 32
)

// Contexts: for whether a number is zero, for its sign, for its bits, for runs, and for bits with equal
// probabilities.
const (
	ctxSign = 9
	ctxBits = 14
	ctxRun  = 17
	ctxEven = 18
)

// Flags of numbers.
const (
	isSet     = 1 // not zero
	isMinus   = 2
	isSeen    = 4 // in this plane
	isRefined = 8
)

// blockDecoder decodes one block. Flags have a border of one element on all sides.
type blockDecoder struct {
	w, h, stride int
	flags        []uint8
	values       []int32 // twice the magnitudes, in the middle of the remaining interval
	contexts     [19]mqContext
	mq           *mqReader
	raw          bool
	band         [2]bool
	style        int
	one          int32
}

// decodeBlocks decodes all blocks of a resolution.
func (l *jp2Level) decodeBlocks(style int) {
	for _, p := range l.precincts {
		for _, s := range p.bands {
			for i := range s.blocks {
				s.blocks[i].decode(s.band, style)
			}
		}
	}
}

func (b *jp2Block) decode(band *jp2Band, style int) {
	if b.planes < 1 || b.passes == 0 {
		return
	}
	if b.planes > 30 {
		panic(errFormat)
	}
	w, h := b.rect.width(), b.rect.y1-b.rect.y0
	d := &blockDecoder{w: w, h: h, stride: w + 2, flags: make([]uint8, (w+2)*(h+2)), values: make([]int32, w*h), band: band.high, style: style}
	d.reset()
	d.one = 1 << b.planes
	kind := 2
	for _, s := range b.segments {
		d.raw = s.raw
		d.mq = newMQReader(s.data)
		if s.raw {
			d.mq = newRawReader(s.data)
		}
		for range s.passes {
			if d.one < 2 {
				break
			}
			d.pass(kind)
			if style&styleReset != 0 {
				d.reset()
			}
			if kind++; kind == 3 {
				kind = 0
				d.one >>= 1
			}
		}
	}
	for i, v := range d.values {
		x, y := i%w, i/w
		if d.flags[(y+1)*d.stride+x+1]&isMinus != 0 {
			v = -v
		}
		band.values[(b.rect.y0-band.rect.y0+y)*band.rect.width()+b.rect.x0-band.rect.x0+x] = v
	}
}

func (d *blockDecoder) reset() {
	d.contexts = [19]mqContext{0: {state: 4}, ctxRun: {state: 3}, ctxEven: {state: 46}}
}

// pass iterates over the numbers in stripes of four rows, column by column.
func (d *blockDecoder) pass(kind int) {
	for y0 := 0; y0 < d.h; y0 += 4 {
		for x := range d.w {
			y := y0
			if kind == 2 {
				y = d.run(x, y0)
			}
			for ; y < min(y0+4, d.h); y++ {
				d.visit(kind, x, y)
			}
		}
	}
	if kind != 2 {
		return
	}
	if d.style&styleMarked != 0 {
		for range 4 {
			d.mq.symbol(&d.contexts[ctxEven])
		}
	}
	for i := range d.flags {
		d.flags[i] &^= isSeen
	}
}

// visit decodes a number if it belongs to the pass of the given kind: numbers with neighbors, numbers that
// are not zero, or all others.
func (d *blockDecoder) visit(kind, x, y int) {
	f := &d.flags[(y+1)*d.stride+x+1]
	switch {
	case kind == 1:
		if *f&(isSet|isSeen) == isSet {
			d.refine(f, x, y)
		}
	case *f&(isSet|isSeen) != 0:
	default:
		context := d.zeroContext(x, y)
		if kind == 0 && context == 0 {
			return
		}
		if kind == 0 {
			*f |= isSeen
		}
		if d.bit(context) == 1 {
			d.set(f, x, y)
		}
	}
}

func (d *blockDecoder) bit(context int) uint8 {
	if d.raw {
		return d.mq.bit()
	}
	return d.mq.symbol(&d.contexts[context])
}

// run decodes a column of four numbers without neighbors at once. It returns the first row whose number must
// be decoded separately.
func (d *blockDecoder) run(x, y0 int) int {
	if y0+4 > d.h {
		return y0
	}
	for y := y0; y < y0+4; y++ {
		if d.flags[(y+1)*d.stride+x+1]&(isSet|isSeen) != 0 || d.zeroContext(x, y) != 0 {
			return y0
		}
	}
	if d.mq.symbol(&d.contexts[ctxRun]) == 0 {
		return y0 + 4
	}
	y := y0 + int(d.mq.symbol(&d.contexts[ctxEven])<<1)
	y += int(d.mq.symbol(&d.contexts[ctxEven]))
	d.set(&d.flags[(y+1)*d.stride+x+1], x, y)
	return y + 1
}

// neighbors returns the flags of a number's neighbors, row by row.
func (d *blockDecoder) neighbors(x, y int) (n [3][3]uint8) {
	at := y*d.stride + x
	for i := range n {
		n[i] = [3]uint8(d.flags[at+i*d.stride:])
	}
	if d.style&styleCausal != 0 && y%4 == 3 {
		n[2] = [3]uint8{}
	}
	return n
}

// zeroContext returns the context for whether a number is zero: 0 if all neighbors are.
func (d *blockDecoder) zeroContext(x, y int) int {
	n := d.neighbors(x, y)
	across := int(n[1][0]&isSet + n[1][2]&isSet)
	down := int(n[0][1]&isSet + n[2][1]&isSet)
	diagonal := int(n[0][0]&isSet + n[0][2]&isSet + n[2][0]&isSet + n[2][2]&isSet)
	if d.band[0] && d.band[1] {
		straight := min(across+down, 2)
		switch {
		case diagonal >= 3:
			return 8
		case diagonal == 2:
			return 6 + min(straight, 1)
		}
		return 3*diagonal + straight
	}
	if d.band[0] {
		across, down = down, across
	}
	switch {
	case across == 2:
		return 8
	case across == 1 && down > 0:
		return 7
	case across == 1:
		return 5 + min(diagonal, 1)
	case down > 0:
		return 2 + down
	}
	return min(diagonal, 2)
}

// set records that a number is not zero and reads its sign.
func (d *blockDecoder) set(f *uint8, x, y int) {
	n := d.neighbors(x, y)
	sign := func(f uint8) int {
		switch f & (isSet | isMinus) {
		case isSet:
			return 1
		case isSet | isMinus:
			return -1
		}
		return 0
	}
	across := min(max(sign(n[1][0])+sign(n[1][2]), -1), 1)
	down := min(max(sign(n[0][1])+sign(n[2][1]), -1), 1)
	v := 3*across + down // its sign inverts the meaning
	minus := d.bit(ctxSign + max(v, -v))
	if !d.raw && v < 0 {
		minus ^= 1
	}
	*f |= isSet | minus*isMinus
	d.values[y*d.w+x] = d.one | d.one>>1
}

// refine reads one more bit of a number.
func (d *blockDecoder) refine(f *uint8, x, y int) {
	context := ctxBits + 2
	if *f&isRefined == 0 {
		context = ctxBits
		if d.zeroContext(x, y) != 0 {
			context++
		}
	}
	*f |= isRefined
	if d.bit(context) == 1 {
		d.values[y*d.w+x] += d.one >> 1
	} else {
		d.values[y*d.w+x] -= d.one >> 1
	}
}
