package imagedec

import "math/bits"

// mqWriter is the arithmetic encoder of annex C of the specification. Its first byte is none of the data.
type mqWriter struct {
	out  []byte
	c, a uint32
	ct   int
}

func newMQWriter() *mqWriter { return &mqWriter{out: []byte{0}, a: 0x8000, ct: 12} }

func (m *mqWriter) symbol(x *mqContext, v uint8) {
	s := &mqStates[x.state]
	m.a -= s.rare
	likely := v == x.symbol
	if likely && m.a&0x8000 != 0 {
		m.c += s.rare
		return
	}
	if likely == (m.a < s.rare) {
		m.a = s.rare
	} else {
		m.c += s.rare
	}
	if likely {
		x.state = s.likely
	} else {
		x.symbol ^= s.swap
		x.state = s.less
	}
	for m.a&0x8000 == 0 {
		m.a, m.c = m.a<<1, m.c<<1
		if m.ct--; m.ct == 0 {
			m.byte()
		}
	}
}

func (m *mqWriter) byte() {
	last := &m.out[len(m.out)-1]
	if *last != 0xff && m.c >= 0x8000000 { // a carry
		*last++
		m.c &= 0x7ffffff
	}
	if *last == 0xff {
		m.out = append(m.out, byte(m.c>>20))
		m.c, m.ct = m.c&0xfffff, 7
		return
	}
	m.out = append(m.out, byte(m.c>>19))
	m.c, m.ct = m.c&0x7ffff, 8
}

// end returns the data.
func (m *mqWriter) end() []byte {
	top := m.c + m.a
	if m.c |= 0xffff; m.c >= top {
		m.c -= 0x8000
	}
	for range 2 {
		m.c <<= m.ct
		m.byte()
	}
	out := m.out[1:]
	if out[len(out)-1] == 0xff {
		out = out[:len(out)-1]
	}
	return out
}

// stuffedBits writes bits, the highest first. After a byte of ones, the next one has seven bits.
type stuffedBits struct {
	out  []byte
	left int // in the last byte
}

func (w *stuffedBits) bits(v, n int) {
	for k := n - 1; k >= 0; k-- {
		if w.left == 0 {
			w.left = 8
			if n := len(w.out); n > 0 && w.out[n-1] == 0xff {
				w.left = 7
			}
			w.out = append(w.out, 0)
		}
		w.left--
		w.out[len(w.out)-1] |= byte(v>>k&1) << w.left
	}
}

// blockWriter encodes a code block. Its decoder has the flags and computes the contexts, and its arithmetic
// is not used.
type blockWriter struct {
	blockDecoder
	numbers []int
	mq      *mqWriter
	raw     *stuffedBits // nil in passes of the arithmetic coder
	plane   int
}

// blockSegment is the data of some passes.
type blockSegment struct {
	data   []byte
	passes int
}

// encodeBlock encodes a block of numbers, and returns the number of their bits.
func encodeBlock(numbers []int, w int, band [2]bool, style int) (segments []blockSegment, planes int) {
	for _, v := range numbers {
		planes = max(planes, bits.Len(uint(max(v, -v))))
	}
	h := len(numbers) / w
	b := &blockWriter{numbers: numbers}
	b.w, b.h, b.stride, b.band, b.style = w, h, w+2, band, style
	b.flags, b.values = make([]uint8, (w+2)*(h+2)), make([]int32, w*h)
	b.reset()
	for pass, left := 0, 0; pass < 3*planes-2; pass++ {
		if left == 0 {
			left = passesUntilEnd(pass, 3*planes-2, style)
			segments = append(segments, blockSegment{passes: left})
			b.mq, b.raw = newMQWriter(), nil
			if style&styleBypass != 0 && pass >= 10 && pass%3 != 0 {
				b.raw = &stuffedBits{}
			}
		}
		b.plane = planes - 1 - (pass+2)/3
		b.write((pass + 2) % 3)
		if left--; left == 0 && b.raw != nil {
			segments[len(segments)-1].data = b.raw.out
		} else if left == 0 {
			segments[len(segments)-1].data = b.mq.end()
		}
	}
	return segments, planes
}

// passesUntilEnd returns the number of passes in a segment, by table D.9 of the specification.
func passesUntilEnd(pass, n, style int) int {
	switch {
	case style&styleTerminate != 0:
		return 1
	case style&styleBypass == 0:
		return n
	case pass < 10:
		return min(10, n)
	case pass%3 == 1:
		return min(2, n-pass)
	}
	return 1
}

// write writes a pass.
func (b *blockWriter) write(kind int) {
	for y0 := 0; y0 < b.h; y0 += 4 {
		for x := range b.w {
			y := y0
			if kind == 2 {
				y = b.writeRun(x, y0)
			}
			for ; y < min(y0+4, b.h); y++ {
				b.writeOne(kind, x, y)
			}
		}
	}
	if kind == 2 {
		for i := range 4 * (b.style & styleMarked / styleMarked) {
			b.mq.symbol(&b.contexts[ctxEven], uint8(1-i%2))
		}
		for i := range b.flags {
			b.flags[i] &^= isSeen
		}
	}
	if b.style&styleReset != 0 {
		b.reset()
	}
}

func (b *blockWriter) at(x, y int) (f *uint8, number int) {
	return &b.flags[(y+1)*b.stride+x+1], b.numbers[y*b.w+x]
}

// bitOf returns the present bit of a number.
func (b *blockWriter) bitOf(v int) uint8 { return uint8(max(v, -v) >> b.plane & 1) }

func (b *blockWriter) emit(context int, v uint8) {
	if b.raw != nil {
		b.raw.bits(int(v), 1)
		return
	}
	b.mq.symbol(&b.contexts[context], v)
}

func (b *blockWriter) writeRun(x, y0 int) int {
	if y0+4 > b.h {
		return y0
	}
	first := 4
	for k := 3; k >= 0; k-- {
		f, v := b.at(x, y0+k)
		if *f&(isSet|isSeen) != 0 || b.zeroContext(x, y0+k) != 0 {
			return y0
		}
		if b.bitOf(v) == 1 {
			first = k
		}
	}
	if first == 4 {
		b.emit(ctxRun, 0)
		return y0 + 4
	}
	b.emit(ctxRun, 1)
	b.emit(ctxEven, uint8(first>>1))
	b.emit(ctxEven, uint8(first&1))
	b.writeSign(x, y0+first)
	return y0 + first + 1
}

func (b *blockWriter) writeOne(kind, x, y int) {
	f, v := b.at(x, y)
	context := b.zeroContext(x, y)
	switch {
	case kind == 1 && *f&(isSet|isSeen) == isSet:
		refined := ctxBits + min(context, 1)
		if *f&isRefined != 0 {
			refined = ctxBits + 2
		}
		*f |= isRefined
		b.emit(refined, b.bitOf(v))
	case kind == 1 || *f&(isSet|isSeen) != 0 || kind == 0 && context == 0:
	default:
		if kind == 0 {
			*f |= isSeen
		}
		if b.emit(context, b.bitOf(v)); b.bitOf(v) == 1 {
			b.writeSign(x, y)
		}
	}
}

// signContexts is table D.3 of the specification, by the signs across and down: the context, and whether the
// bit is inverted.
var signContexts = map[[2]int][2]uint8{
	{1, 1}: {13, 0}, {1, 0}: {12, 0}, {1, -1}: {11, 0}, {0, 1}: {10, 0}, {0, 0}: {9, 0},
	{0, -1}: {10, 1}, {-1, 1}: {11, 1}, {-1, 0}: {12, 1}, {-1, -1}: {13, 1},
}

func (b *blockWriter) writeSign(x, y int) {
	n := b.neighbors(x, y)
	sum := func(f, g uint8) int {
		s := 0
		for _, f := range []uint8{f, g} {
			s += int(f&isSet) - int(f&isMinus)
		}
		return min(max(s, -1), 1)
	}
	c := signContexts[[2]int{sum(n[1][0], n[1][2]), sum(n[0][1], n[2][1])}]
	f, v := b.at(x, y)
	minus := uint8(0)
	if v < 0 {
		minus = 1
	}
	*f |= isSet | minus*isMinus
	if b.raw != nil {
		c[1] = 0
	}
	b.emit(int(c[0]), minus^c[1])
}
