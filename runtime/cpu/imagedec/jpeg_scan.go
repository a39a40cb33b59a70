package imagedec

// zigzag is the positions of the coefficients of a block, in the order of the file.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// pass is the part of the coefficients in a scan: those from first to last without their low lowest bits, or
// in a refining scan only bit low.
type pass struct {
	first, last int
	refine      bool
	low         uint
}

// scan reads the coefficients of one scan.
func (j *jpegFile) scan(s []byte) error {
	n := int(s[0])
	if j.parts == nil || n < 1 || n > len(j.parts) {
		return errFormat
	}
	var parts []*jpegPart
	for i := range n {
		for _, p := range j.parts {
			if p.id == int(s[1+2*i]) {
				p.dc, p.ac, p.last = &j.tables[0][s[2+2*i]>>4&3], &j.tables[1][s[2+2*i]&3], 0
				parts = append(parts, p)
				break
			}
		}
	}
	tail := s[1+2*n:]
	ps := pass{first: int(tail[0]), last: int(tail[1]), refine: tail[2]>>4 != 0, low: uint(tail[2] & 15)}
	if !j.progressive {
		ps = pass{last: 63}
	}
	if len(parts) != n || ps.first > ps.last || ps.last > 63 || j.progressive && ps.first > 0 && n > 1 {
		return errFormat
	}
	j.run = 0
	for _, p := range parts {
		j.visits -= j.across * j.down * p.h * p.v
	}
	if j.visits < 0 {
		return errFormat
	}
	if n == 1 {
		p := parts[0]
		for i := range p.across * p.down {
			j.restartAt(i, parts)
			j.block(p, p.coefs[64*(i/p.across*p.stride+i%p.across):][:64], &ps)
		}
		return nil
	}
	for i := range j.across * j.down {
		j.restartAt(i, parts)
		for _, p := range parts {
			for b := range p.h * p.v {
				x, y := i%j.across*p.h+b%p.h, i/j.across*p.v+b/p.h
				j.block(p, p.coefs[64*(y*p.stride+x):][:64], &ps)
			}
		}
	}
	return nil
}

// restartAt resets the decoder before unit i, if there is a marker.
func (j *jpegFile) restartAt(i int, parts []*jpegPart) {
	if j.restart == 0 || i == 0 || i%j.restart != 0 {
		return
	}
	j.bits.restart()
	j.run = 0
	for _, p := range parts {
		p.last = 0
	}
}

// block reads the part of a scan for one block.
func (j *jpegFile) block(p *jpegPart, c []int16, ps *pass) {
	switch {
	case !j.progressive:
		p.last += j.bits.signed(j.bits.symbol(p.dc))
		c[0] = int16(p.last)
		j.spectrum(p, c, &pass{first: 1, last: 63})
	case ps.first > 0 && ps.refine:
		j.refine(p, c, ps)
	case ps.first > 0:
		j.spectrum(p, c, ps)
	case ps.refine:
		c[0] |= int16(j.bits.take(1) << ps.low)
	default:
		p.last += j.bits.signed(j.bits.symbol(p.dc))
		c[0] = int16(p.last << ps.low)
	}
}

// spectrum reads AC coefficients.
func (j *jpegFile) spectrum(p *jpegPart, c []int16, ps *pass) {
	if j.run > 0 {
		j.run--
		return
	}
	for k := ps.first; k <= ps.last; k++ {
		rs := j.bits.symbol(p.ac)
		skip, size := rs>>4, rs&15
		switch {
		case size > 0:
			k += skip
			c[zigzag[k&63]] = int16(j.bits.signed(size) << ps.low)
		case skip == 15:
			k += 15
		default:
			j.run = 1<<skip + j.bits.take(skip) - 1
			return
		}
	}
}

// refine reads one more bit of AC coefficients.
func (j *jpegFile) refine(p *jpegPart, c []int16, ps *pass) {
	bit := int16(1) << ps.low
	k := ps.first
	for ; k <= ps.last && j.run == 0; k++ {
		rs := j.bits.symbol(p.ac)
		skip, value := rs>>4, int16(0)
		switch {
		case rs&15 != 0:
			value = -bit
			if j.bits.take(1) == 1 {
				value = bit
			}
		case skip < 15:
			j.run = 1<<skip + j.bits.take(skip)
		}
		if j.run > 0 {
			break
		}
		for ; k <= ps.last; k++ {
			at := &c[zigzag[k]]
			if *at != 0 {
				j.nudge(at, bit)
				continue
			}
			if skip == 0 {
				*at = value
				break
			}
			skip--
		}
	}
	if j.run > 0 {
		for ; k <= ps.last; k++ {
			if at := &c[zigzag[k]]; *at != 0 {
				j.nudge(at, bit)
			}
		}
		j.run--
	}
}

// nudge moves a coefficient away from zero, if the next bit is set.
func (j *jpegFile) nudge(at *int16, bit int16) {
	if j.bits.take(1) == 0 || *at&bit != 0 && *at > 0 || -*at&bit != 0 && *at < 0 {
		return
	}
	if *at > 0 {
		*at += bit
	} else {
		*at -= bit
	}
}
