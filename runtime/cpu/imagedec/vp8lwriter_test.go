package imagedec

import "math/bits"

// vp8lFile describes a lossless WebP: how its pixels are written, not what they are.
type vp8lFile struct {
	width, height int
	transforms    []int
	predictor     int // of the first block; each further block has the next one
	palette       []uint32
	cacheBits     int
	groups        bool // blocks of pixels have two groups of codes in turn
	copies        int  // 0: none, 1: from the pixels before, 2: by the places near a pixel
	runs          bool // lengths of codes are written with repetitions
}

// vp8lWriter writes bits, the lowest first.
type vp8lWriter struct {
	f    *vp8lFile
	out  []byte
	acc  uint64
	have int
}

func (w *vp8lWriter) bits(v, n int) {
	w.acc, w.have = w.acc|uint64(v)<<w.have, w.have+n
	for ; w.have >= 8; w.have -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

// vp8lCode is a complete code of n symbols: the first ones are a bit shorter than the others.
type vp8lCode struct{ n, long, short int }

func newVP8LCode(n int) vp8lCode {
	long := bits.Len(uint(n - 1))
	return vp8lCode{n, long, 1<<long - n}
}

func (c vp8lCode) length(s int) int {
	if s < c.short {
		return c.long - 1
	}
	return c.long
}

// symbol writes a symbol with the code's highest bit first.
func (w *vp8lWriter) symbol(c vp8lCode, s int) {
	code, n := s, c.length(s)
	if s >= c.short {
		code = s + c.short
	}
	for k := n - 1; k >= 0; k-- {
		w.bits(code>>k&1, 1)
	}
}

// code writes the lengths of a code. Their own code has symbols of one bit, or none if there is one length.
// With repetitions, it has three symbols, of which the one for repetitions has one bit.
func (w *vp8lWriter) code(c vp8lCode) {
	w.bits(0, 1)
	w.bits(15, 4)
	for _, i := range [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} {
		n := 0
		switch {
		case w.f.runs && i == 16:
			n = 1
		case i == c.long || i == c.long-1 && (c.short > 0 || w.f.runs):
			n = 1
			if w.f.runs {
				n = 2
			}
		}
		w.bits(n, 3)
	}
	w.bits(0, 1)
	last := -1
	for s := 0; s < c.n; s++ {
		n := c.length(s)
		if n == last && w.f.runs && s+3 <= c.n && c.length(s+2) == n {
			times := 3
			for times < 6 && s+times < c.n && c.length(s+times) == n {
				times++
			}
			w.bits(0, 1) // 16 is the symbol of one bit
			w.bits(times-3, 2)
			s += times - 1
			continue
		}
		last = n
		switch {
		case w.f.runs:
			w.bits(1, 1)
			w.bits(n-c.long+1, 1)
		case c.short > 0:
			w.bits(n-c.long+1, 1)
		}
	}
}

// number writes a length or a distance: a symbol, and bits behind it.
func (w *vp8lWriter) number(c vp8lCode, first, v int) {
	v--
	if v < 4 {
		w.symbol(c, first+v)
		return
	}
	n := bits.Len(uint(v)) - 2
	w.symbol(c, first+2*n+v>>n)
	w.bits(v&(1<<n-1), n)
}

// image writes pixels.
func (w *vp8lWriter) image(pix []uint32, width int, main bool) {
	cacheBits := 0
	if main {
		cacheBits = w.f.cacheBits
	}
	w.bits(min(cacheBits, 1), 1)
	var cache []uint32
	if cacheBits > 0 {
		w.bits(cacheBits, 4)
		cache = make([]uint32, 1<<cacheBits)
	}
	groups := 1
	if main {
		groups = w.groups(len(pix)/width, width)
	}
	green, byteCode, far := newVP8LCode(256+24+len(cache)), newVP8LCode(256), newVP8LCode(40)
	for range groups {
		w.code(green)
		for range 3 {
			w.code(byteCode)
		}
		w.code(far)
	}
	for i := 0; i < len(pix); {
		begin := i
		slot := func(v uint32) uint32 { return v * 0x1e35a7bd >> (32 - cacheBits) }
		from, n := 0, 0
		if main && w.f.copies > 0 {
			from, n = repeatedFrom(pix, i)
		}
		switch v := pix[i]; {
		case n > 1:
			w.number(green, 256, n)
			w.number(far, 0, w.distance(i-from, width))
			i += n
		case cache != nil && cache[slot(v)] == v:
			w.symbol(green, 256+24+int(slot(v)))
			i++
		default:
			w.symbol(green, int(v>>8&255))
			for _, s := range []int{16, 0, 24} {
				w.symbol(byteCode, int(v>>s&255))
			}
			i++
		}
		for ; cache != nil && begin < i; begin++ {
			cache[slot(pix[begin])] = pix[begin]
		}
	}
}

// groups writes an image in which blocks of 4×4 pixels have group 0, or the last of 300, in turn.
func (w *vp8lWriter) groups(height, width int) int {
	if !w.f.groups {
		w.bits(0, 1)
		return 1
	}
	w.bits(1, 1)
	w.bits(0, 3)
	var which []uint32
	for i := range ceilDiv(width, 4) * ceilDiv(height, 4) {
		which = append(which, uint32(i%2)*299<<8)
	}
	w.image(which, ceilDiv(width, 4), false)
	if len(which) == 1 {
		return 1
	}
	return 300
}

// repeatedFrom returns the place of the longest repetition that begins at most 300 pixels before i.
func repeatedFrom(pix []uint32, i int) (from, n int) {
	for k := max(i-300, 0); k < i; k++ {
		m := 0
		for i+m < len(pix) && pix[k+m] == pix[i+m] && m < 4096 {
			m++
		}
		if m > n {
			from, n = k, m
		}
	}
	return from, n
}

// distance returns the number for a distance.
func (w *vp8lWriter) distance(n, width int) int {
	if w.f.copies == 2 {
		for k, p := range vp8lNear {
			if max(int(p>>4)*width+8-int(p&15), 1) == n {
				return k + 1
			}
		}
	}
	return n + 120
}

// encode writes a file from red, green and blue.
func (f vp8lFile) encode(rgb []int) []byte {
	pix := make([]uint32, len(rgb)/3)
	for i := range pix {
		alpha := i * 37 & 255 // it does not matter
		pix[i] = uint32(alpha<<24 | rgb[3*i]<<16 | rgb[3*i+1]<<8 | rgb[3*i+2])
	}
	w := &vp8lWriter{f: &f}
	w.bits(0x2f, 8)
	w.bits(f.width-1, 14)
	w.bits(f.height-1, 14)
	w.bits(1, 4)
	width := f.width
	for _, kind := range f.transforms {
		w.bits(1, 1)
		w.bits(kind, 2)
		pix, width = w.transform(kind, pix, width)
	}
	w.bits(0, 1)
	w.image(pix, width, true)
	w.bits(0, 7)
	body := append([]byte("VP8L"), le32(len(w.out))...)
	body = append(body, w.out...)
	if len(body)%2 != 0 {
		body = append(body, 0)
	}
	body = append([]byte("WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x04\x00\x00\x03\x00\x00EXIF\x03\x00\x00\x00abc\x00"), body...)
	return append(append([]byte("RIFF"), le32(len(body))...), body...)
}
