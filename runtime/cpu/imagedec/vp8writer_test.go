package imagedec

// boolWriter is the arithmetic encoder of section 7.3 of RFC 6386.
type boolWriter struct {
	out           []byte
	width, bottom uint32
	left          int
}

func newBoolWriter() *boolWriter { return &boolWriter{width: 255, left: 24} }

// bit writes a bit that is 0 with a probability in 256ths.
func (w *boolWriter) bit(chance uint8, v int) {
	split := 1 + (w.width-1)*uint32(chance)>>8
	if v == 1 {
		w.bottom += split
		w.width -= split
	} else {
		w.width = split
	}
	for ; w.width < 128; w.width <<= 1 {
		if w.bottom>>31 == 1 { // a carry
			i := len(w.out) - 1
			for ; w.out[i] == 255; i-- {
				w.out[i] = 0
			}
			w.out[i]++
		}
		w.bottom <<= 1
		if w.left--; w.left == 0 {
			w.out = append(w.out, byte(w.bottom>>24))
			w.bottom, w.left = w.bottom&0xffffff, 8
		}
	}
}

func (w *boolWriter) number(v, n int) {
	for k := n - 1; k >= 0; k-- {
		w.bit(128, v>>k&1)
	}
}

// optional writes a number with a sign, or that there is none if it is 0.
func (w *boolWriter) optional(v, n int) {
	if v == 0 {
		w.number(0, 1)
		return
	}
	w.number(1, 1)
	w.number(max(v, -v), n)
	w.number(sign(v), 1)
}

func sign(v int) int {
	if v < 0 {
		return 1
	}
	return 0
}

func (w *boolWriter) end() []byte {
	w.number(0, 32)
	return w.out
}

// vp8File describes a lossy WebP in which the luma of a macroblock is flat, and there is no color.
type vp8File struct {
	width, height int
	base          int    // the quantizer
	deltas        [5]int // of the kinds of coefficients
	segmented     bool
	absolute      bool
	segmentQuant  [4]int
	partitions    int // its logarithm
	skips         bool
	adjust        bool // there are differences of filter levels, and the level is 0
}

// vp8Flat is a macroblock.
type vp8Flat struct{ mode, segment, dc int }

// encode writes a file from its macroblocks.
func (f vp8File) encode(blocks []vp8Flat) []byte {
	w := f.header()
	across := ceilDiv(f.width, 16)
	parts := make([]*boolWriter, 1<<f.partitions)
	for i := range parts {
		parts[i] = newBoolWriter()
	}
	above, left := make([]uint8, across), uint8(0)
	for i, b := range blocks {
		if i%across == 0 {
			left = 0
		}
		if f.segmented {
			w.bit(100, b.segment>>1)
			w.bit([2]uint8{50, 200}[b.segment>>1], b.segment&1)
		}
		skip := f.skips && b.dc == 0
		if f.skips {
			skipped := 0
			if skip {
				skipped = 1
			}
			w.bit(77, skipped)
		}
		w.bit(145, 1)
		m := map[int][3]int{predDC: {0, 163, 0}, predVE: {0, 163, 1}, predHE: {1, 128, 0}, predTM: {1, 128, 1}}[b.mode]
		w.bit(156, m[0])
		w.bit(uint8(m[1]), m[2])
		w.bit(142, 0)
		coded := uint8(0)
		if !skip {
			coded = parts[i/across%len(parts)].macroblock(b.dc, above[i%across]+left)
		}
		above[i%across], left = coded, coded
	}
	return f.file(w.end(), parts)
}

// header writes what stands before the macroblocks.
func (f *vp8File) header() *boolWriter {
	w := newBoolWriter()
	w.number(0, 2)
	flag := func(v bool) {
		if v {
			w.number(1, 1)
		} else {
			w.number(0, 1)
		}
	}
	if flag(f.segmented); f.segmented {
		w.number(3, 2)
		flag(f.absolute)
		for _, q := range f.segmentQuant {
			w.optional(q, 7)
		}
		for i := range 4 {
			w.optional(i*20-30, 6) // filter levels, which do not matter
		}
		for _, p := range []int{100, 50, 200} {
			w.number(1, 1)
			w.number(p, 8)
		}
	}
	w.number(0, 1+6+3)
	if flag(f.adjust); f.adjust {
		w.number(1, 1)
		for i := range 8 {
			w.optional(i*5-20, 6)
		}
	}
	w.number(f.partitions, 2)
	w.number(f.base, 7)
	for _, d := range f.deltas {
		w.optional(d, 4)
	}
	w.number(0, 1)
	for _, a := range vp8Update {
		for _, b := range a {
			for _, c := range b {
				for _, p := range c {
					w.bit(p, 0)
				}
			}
		}
	}
	if flag(f.skips); f.skips {
		w.number(77, 8)
	}
	return w
}

// macroblock writes the first coefficient of the means, and that there are no others.
func (w *boolWriter) macroblock(dc int, context uint8) (coded uint8) {
	if dc == 0 {
		w.bit(vp8Default[1][0][context][0], 0)
	} else {
		w.coefficient(&vp8Default[1][0][context], dc)
		w.bit(vp8Default[1][1][min(max(dc, -dc), 2)][0], 0)
		coded = 1
	}
	for i := range 24 {
		p := &vp8Default[0][1][0]
		if i >= 16 {
			p = &vp8Default[2][0][0]
		}
		w.bit(p[0], 0)
	}
	return coded
}

// coefficient writes a number other than 0, by section 13.2 of RFC 6386.
func (w *boolWriter) coefficient(p *[11]uint8, v int) {
	path := func(steps ...int) { // pairs of a place in p, and a bit
		for i := 0; i < len(steps); i += 2 {
			w.bit(p[steps[i]], steps[i+1])
		}
	}
	extra := func(v int, chances ...uint8) {
		for i, c := range chances {
			w.bit(c, v>>(len(chances)-1-i)&1)
		}
	}
	path(0, 1, 1, 1)
	switch a := max(v, -v); {
	case a == 1:
		path(2, 0)
	case a == 2:
		path(2, 1, 3, 0, 4, 0)
	case a <= 4:
		path(2, 1, 3, 0, 4, 1, 5, a-3)
	case a <= 6:
		path(2, 1, 3, 1, 6, 0, 7, 0)
		extra(a-5, 159)
	case a <= 10:
		path(2, 1, 3, 1, 6, 0, 7, 1)
		extra(a-7, 165, 145)
	case a <= 18:
		path(2, 1, 3, 1, 6, 1, 8, 0, 9, 0)
		extra(a-11, 173, 148, 140)
	case a <= 34:
		path(2, 1, 3, 1, 6, 1, 8, 0, 9, 1)
		extra(a-19, 176, 155, 140, 135)
	case a <= 66:
		path(2, 1, 3, 1, 6, 1, 8, 1, 10, 0)
		extra(a-35, 180, 157, 141, 134, 130)
	default:
		path(2, 1, 3, 1, 6, 1, 8, 1, 10, 1)
		extra(a-67, 254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129)
	}
	w.bit(128, sign(v))
}

// file puts the partitions together.
func (f *vp8File) file(first []byte, parts []*boolWriter) []byte {
	head := len(first)<<5 | 0x10
	b := append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, "\x9d\x01\x2a"...)
	b = append(b, byte(f.width), byte(f.width>>8), byte(f.height), byte(f.height>>8))
	b = append(b, first...)
	var all []byte
	for i, p := range parts {
		data := p.end()
		if i < len(parts)-1 {
			b = append(b, byte(len(data)), byte(len(data)>>8), byte(len(data)>>16))
		}
		all = append(all, data...)
	}
	b = append(b, all...)
	return append(append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "), le32(len(b))...), b...)
}
