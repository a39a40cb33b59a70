package imagedec

// huffman is a code of up to 16 bits.
type huffman struct {
	short  [256]uint16 // by the next 8 bits: symbol and length, 0 for longer codes
	limit  [18]int32   // by length: the first 16 bits that are too large
	offset [17]int32   // by length: the difference from a code to the index of its symbol
	values [256]uint8
}

// init reads a table and returns the data after it.
func (h *huffman) init(s []byte) []byte {
	*h = huffman{}
	counts, rest := s[:16], s[16:]
	code, k := int32(0), int32(0)
	for l := 1; l <= 16; l++ {
		n := int32(counts[l-1])
		h.offset[l] = k - code
		for range n {
			h.values[k] = rest[k]
			if l <= 8 {
				for i := range 1 << (8 - l) {
					h.short[(int(code)<<(8-l)|i)&255] = uint16(rest[k])<<8 | uint16(l)
				}
			}
			k++
			code++
		}
		h.limit[l] = code << (16 - l)
		code <<= 1
	}
	return rest[k:]
}

// bitReader reads the bits of a scan. After a marker there are only zeros.
type bitReader struct {
	data []byte
	at   int
	acc  uint32
	have int
}

// fill makes at least 16 bits available.
func (b *bitReader) fill() {
	for b.have <= 16 {
		v := uint32(0)
		if b.at < len(b.data) {
			v = uint32(b.data[b.at])
			switch {
			case v != 0xff:
				b.at++
			case b.at+1 < len(b.data) && b.data[b.at+1] == 0:
				b.at += 2
			default:
				v = 0
			}
		}
		b.acc |= v << (24 - b.have)
		b.have += 8
	}
}

// take reads n bits, 16 at most.
func (b *bitReader) take(n int) int {
	b.fill()
	v := int(b.acc >> 16 >> (16 - n))
	b.acc <<= n
	b.have -= n
	return v
}

// signed reads a number of n bits whose first bit is the sign.
func (b *bitReader) signed(n int) int {
	n = min(n, 16)
	v := b.take(n)
	if n > 0 && v < 1<<(n-1) {
		v -= 1<<n - 1
	}
	return v
}

// symbol reads one code.
func (b *bitReader) symbol(h *huffman) int {
	b.fill()
	if s := h.short[b.acc>>24]; s != 0 {
		b.acc <<= s & 255
		b.have -= int(s & 255)
		return int(s >> 8)
	}
	top := int32(b.acc >> 16)
	for l := 9; l <= 16; l++ {
		if top < h.limit[l] {
			i := top>>(16-l) + h.offset[l]
			b.acc <<= l
			b.have -= l
			return int(h.values[i&255])
		}
	}
	panic(errFormat)
}

// restart moves after the next marker.
func (b *bitReader) restart() {
	b.acc, b.have = 0, 0
	for b.at+1 < len(b.data) {
		if b.data[b.at] == 0xff && b.data[b.at+1] >= 0xd0 && b.data[b.at+1] <= 0xd7 {
			b.at += 2
			return
		}
		if b.data[b.at] == 0xff && b.data[b.at+1] == mEOI {
			return
		}
		b.at++
	}
}
