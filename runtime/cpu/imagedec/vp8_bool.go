package imagedec

// boolReader is the arithmetic decoder of VP8. After the data there are zeros.
type boolReader struct {
	data  []byte
	value uint32 // at least two bytes
	rng   uint32
	count int // bits until a byte is due
}

func newBoolReader(data []byte) *boolReader {
	b := &boolReader{data: data, rng: 255}
	b.value = b.next()<<8 | b.next()
	return b
}

func (b *boolReader) next() uint32 {
	if len(b.data) == 0 {
		return 0
	}
	v := b.data[0]
	b.data = b.data[1:]
	return uint32(v)
}

// bit reads a bit that is 0 with probability p/256.
func (b *boolReader) bit(p uint8) int {
	split := 1 + (b.rng-1)*uint32(p)>>8
	v := 0
	if b.value >= split<<8 {
		b.value -= split << 8
		b.rng -= split
		v = 1
	} else {
		b.rng = split
	}
	for b.rng < 128 {
		b.value <<= 1
		b.rng <<= 1
		if b.count++; b.count == 8 {
			b.count = 0
			b.value |= b.next()
		}
	}
	return v
}

func (b *boolReader) flag() bool { return b.bit(128) == 1 }

// number reads n bits, the highest first.
func (b *boolReader) number(n int) int {
	v := 0
	for range n {
		v = v<<1 | b.bit(128)
	}
	return v
}

// signed reads a magnitude and a sign.
func (b *boolReader) signed(n int) int {
	v := b.number(n)
	if b.flag() {
		return -v
	}
	return v
}

// optional reads a flag, and if it is set a signed number. Otherwise it returns 0.
func (b *boolReader) optional(n int) int {
	if b.flag() {
		return b.signed(n)
	}
	return 0
}
