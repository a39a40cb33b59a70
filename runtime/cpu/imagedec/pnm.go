package imagedec

// pnm reads the portable formats: bitmaps, graymaps and pixmaps, as text or as bytes.
type pnm struct {
	data []byte
	at   int
}

func decodePNM(data []byte) (*picture, error) {
	kind := data[1]
	s := &pnm{data: data, at: 2}
	w, h, top := s.number(), s.number(), 1
	if kind != '1' && kind != '4' {
		top = s.number()
	}
	s.at++ // one white space ends the header
	if err := checkSize(w, h, 8, len(data)); err != nil {
		return nil, err
	}
	p, err := newPicture(w, h)
	if err != nil {
		return nil, err
	}
	if top < 1 || top > 65535 {
		return nil, errFormat
	}
	sample := s.number
	switch kind {
	case '1':
		sample = s.digit
	case '4':
		s.bitmap(p, w, h)
		return p, nil
	case '5', '6':
		sample = s.byte
		if top > 255 {
			sample = s.word
		}
	}
	value := func() uint8 { return uint8(min((sample()*255+top/2)/top, 255)) }
	for i := range w * h {
		r := value()
		switch kind {
		case '1':
			r = 255 - r
			fallthrough
		case '2', '5':
			p.set(i, r, r, r)
		default:
			g := value()
			p.set(i, r, g, value())
		}
	}
	return p, nil
}

// bitmap reads lines of bits, each of which begins with a byte of its own. A bit is set for black.
func (s *pnm) bitmap(p *picture, w, h int) {
	for i := range w * h {
		bit := s.data[s.at+i/w*((w+7)/8)+i%w/8] >> (7 - i%w%8) & 1
		p.set(i, 255-255*bit, 255-255*bit, 255-255*bit)
	}
}

// skip goes to the next character that is neither white space nor in a comment.
func (s *pnm) skip() {
	for ; ; s.at++ {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\v', '\f', '\r':
		case '#':
			for s.data[s.at] != '\n' {
				s.at++
			}
		default:
			return
		}
	}
}

// number reads a decimal number.
func (s *pnm) number() int {
	s.skip()
	n, begin := 0, s.at
	for ; s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9'; s.at++ {
		n = int(min(10*int64(n)+int64(s.data[s.at]-'0'), 1<<31-1))
	}
	if s.at == begin {
		panic(errFormat)
	}
	return n
}

// digit reads one pixel of a bitmap.
func (s *pnm) digit() int {
	s.skip()
	s.at++
	bit := s.data[s.at-1]
	if bit != '0' && bit != '1' {
		panic(errFormat)
	}
	return int(bit - '0')
}

func (s *pnm) byte() int {
	s.at++
	return int(s.data[s.at-1])
}

func (s *pnm) word() int { return s.byte()<<8 | s.byte() }
