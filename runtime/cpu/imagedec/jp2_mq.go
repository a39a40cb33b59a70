package imagedec

// mqStates are the states of a context: the probability of the rarer symbol, the states that follow the more
// probable and the rarer one, and whether the rarer one becomes the more probable.
var mqStates = [47]struct {
	rare         uint32
	likely, less uint8
	swap         uint8
}{
	{0x5601, 1, 1, 1}, {0x3401, 2, 6, 0}, {0x1801, 3, 9, 0}, {0x0ac1, 4, 12, 0}, {0x0521, 5, 29, 0}, {0x0221, 38, 33, 0},
	{0x5601, 7, 6, 1}, {0x5401, 8, 14, 0}, {0x4801, 9, 14, 0}, {0x3801, 10, 14, 0}, {0x3001, 11, 17, 0}, {0x2401, 12, 18, 0},
	{0x1c01, 13, 20, 0}, {0x1601, 29, 21, 0}, {0x5601, 15, 14, 1}, {0x5401, 16, 14, 0}, {0x5101, 17, 15, 0}, {0x4801, 18, 16, 0},
	{0x3801, 19, 17, 0}, {0x3401, 20, 18, 0}, {0x3001, 21, 19, 0}, {0x2801, 22, 19, 0}, {0x2401, 23, 20, 0}, {0x2201, 24, 21, 0},
	{0x1c01, 25, 22, 0}, {0x1801, 26, 23, 0}, {0x1601, 27, 24, 0}, {0x1401, 28, 25, 0}, {0x1201, 29, 26, 0}, {0x1101, 30, 27, 0},
	{0x0ac1, 31, 28, 0}, {0x09c1, 32, 29, 0}, {0x08a1, 33, 30, 0}, {0x0521, 34, 31, 0}, {0x0441, 35, 32, 0}, {0x02a1, 36, 33, 0},
	{0x0221, 37, 34, 0}, {0x0141, 38, 35, 0}, {0x0111, 39, 36, 0}, {0x0085, 40, 37, 0}, {0x0049, 41, 38, 0}, {0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0}, {0x0009, 44, 41, 0}, {0x0005, 45, 42, 0}, {0x0001, 45, 43, 0}, {0x5601, 46, 46, 0},
}

// mqContext is a context: its state, and its more probable symbol.
type mqContext struct{ state, symbol uint8 }

// mqReader is the arithmetic decoder of JPEG 2000. It also reads the bits that bypass the coder. After the
// data there are ones.
type mqReader struct {
	data []byte
	at   int
	c, a uint32
	ct   int
}

func newMQReader(data []byte) *mqReader {
	m := &mqReader{data: data, a: 0x8000}
	m.c = uint32(m.byte(0)) << 16
	m.fill()
	m.c <<= 7
	m.ct -= 7
	return m
}

func (m *mqReader) byte(i int) byte {
	if m.at+i < len(m.data) {
		return m.data[m.at+i]
	}
	return 0xff
}

func (m *mqReader) fill() {
	if m.byte(0) != 0xff {
		m.at++
		m.c += uint32(m.byte(0)) << 8
		m.ct = 8
		return
	}
	if m.byte(1) > 0x8f {
		m.c += 0xff00
		m.ct = 8
		return
	}
	m.at++
	m.c += uint32(m.byte(0)) << 9
	m.ct = 7
}

// symbol reads a symbol in a context.
func (m *mqReader) symbol(x *mqContext) uint8 {
	s := &mqStates[x.state]
	m.a -= s.rare
	rare := m.c>>16 < s.rare
	if !rare {
		m.c -= s.rare << 16
		if m.a&0x8000 != 0 {
			return x.symbol
		}
	}
	v := x.symbol
	if rare == (m.a < s.rare) { // the order of the intervals may be exchanged
		x.state = s.likely
	} else {
		v ^= 1
		x.symbol ^= s.swap
		x.state = s.less
	}
	if rare {
		m.a = s.rare
	}
	for m.a&0x8000 == 0 {
		if m.ct == 0 {
			m.fill()
		}
		m.a <<= 1
		m.c <<= 1
		m.ct--
	}
	return v
}

// newRawReader returns a reader for passes that bypass the coder.
func newRawReader(data []byte) *mqReader { return &mqReader{data: data} }

// bit reads a bit that bypasses the coder. After a byte of ones, the next one has seven bits.
func (m *mqReader) bit() uint8 {
	if m.ct == 0 {
		m.ct = 8
		if m.c == 0xff {
			m.ct = 7
		}
		m.c = uint32(m.byte(0))
		m.at++
	}
	m.ct--
	return uint8(m.c>>m.ct) & 1
}
