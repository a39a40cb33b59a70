package imagedec

// predict predicts the pixels of a macroblock and adds the residual.
func (d *vp8) predict(mx, my int, whole bool, modes *[16]uint8, chroma uint8, c *vp8Coefs) {
	at := d.y.at + 16*(my*d.y.stride+mx)
	if whole {
		d.y.square(at, 16, modes[0], mx > 0, my > 0)
		for i := range 16 {
			d.y.add(at+4*(i/4*d.y.stride+i%4), &c[i])
		}
	} else {
		right := d.aboveRight(at, mx, my)
		for i := range 16 {
			b := at + 4*(i/4*d.y.stride+i%4)
			if i%4 == 3 {
				d.y.subblock(b, modes[i], right)
			} else {
				d.y.subblock(b, modes[i], [4]uint8(d.y.pix[b-d.y.stride+4:]))
			}
			d.y.add(b, &c[i])
		}
	}
	for k, p := range []*vp8Plane{&d.u, &d.v} {
		at := p.at + 8*(my*p.stride+mx)
		p.square(at, 8, chroma, mx > 0, my > 0)
		for i := range 4 {
			p.add(at+4*(i/2*p.stride+i%2), &c[16+4*k+i])
		}
	}
}

// aboveRight returns the pixels above and to the right of the first subblock at the right edge of a
// macroblock, which all subblocks at that edge use.
func (d *vp8) aboveRight(at, mx, my int) [4]uint8 {
	row := d.y.pix[at-d.y.stride+15:]
	if my > 0 && mx == d.across-1 {
		return [4]uint8{row[0], row[0], row[0], row[0]}
	}
	return [4]uint8(row[1:])
}

// square predicts a block of n×n pixels.
func (p *vp8Plane) square(at, n int, mode uint8, left, above bool) {
	top := p.pix[at-p.stride:][:n]
	corner := int(p.pix[at-p.stride-1])
	dc, count := 0, 0
	for i := range n {
		if above {
			dc, count = dc+int(top[i]), count+1
		}
		if left {
			dc, count = dc+int(p.pix[at+i*p.stride-1]), count+1
		}
	}
	if count == 0 {
		dc = 128
	} else {
		dc = (dc + count/2) / count
	}
	for y := range n {
		row := p.pix[at+y*p.stride:][:n]
		l := int(p.pix[at+y*p.stride-1])
		for x := range row {
			switch mode {
			case predDC:
				row[x] = uint8(dc)
			case predVE:
				row[x] = top[x]
			case predHE:
				row[x] = uint8(l)
			default:
				row[x] = clamp(l + int(top[x]) - corner)
			}
		}
	}
}

// subblock predicts a block of 4×4 pixels.
func (p *vp8Plane) subblock(at int, mode uint8, right [4]uint8) {
	// The edge: up the left side, the corner, along the top and to the right. The first and the last element
	// are repeated.
	var e [15]int
	for i := range 4 {
		e[4-i] = int(p.pix[at+i*p.stride-1])
		e[6+i] = int(p.pix[at-p.stride+i])
		e[10+i] = int(right[i])
	}
	e[0], e[14] = e[1], e[13]
	e[5] = int(p.pix[at-p.stride-1])
	dc := 4
	for i := range 4 {
		dc += e[1+i] + e[6+i]
	}
	mean3 := func(i int) int { return (e[i-1] + 2*e[i] + e[i+1] + 2) >> 2 }
	mean2 := func(i int) int { return (e[i] + e[i+1] + 1) >> 1 }
	for i := range 16 {
		x, y := i%4, i/4
		v := 0
		switch mode {
		case predDC:
			v = dc >> 3
		case predTM:
			v = int(clamp(e[4-y] + e[6+x] - e[5]))
		case predVE:
			v = mean3(6 + x)
		case predHE:
			v = mean3(4 - y)
		case predRD:
			v = mean3(5 + x - y)
		case predLD:
			v = mean3(min(7+x+y, 13))
		case predVR:
			v = verticalRight(x, y, mean2, mean3, 5)
		case predHD:
			v = horizontalDown(x, y, mean2, mean3)
		case predVL:
			v = verticalLeft(x, y, mean2, mean3)
		default:
			v = horizontalUp(2*y+x, mean2, mean3, e[1])
		}
		p.pix[at+y*p.stride+x] = uint8(v)
	}
}

// verticalRight predicts a steep descent to the right.
func verticalRight(x, y int, mean2, mean3 func(int) int, corner int) int {
	switch {
	case y >= 2 && x == 0:
		return mean3(corner + 1 - y)
	case y >= 2:
		return verticalRight(x-1, y-2, mean2, mean3, corner)
	case y == 1:
		return mean3(corner + x)
	}
	return mean2(corner + x)
}

// horizontalDown predicts a gentle descent to the right.
func horizontalDown(x, y int, mean2, mean3 func(int) int) int {
	switch {
	case x >= 2 && y == 0:
		return mean3(4 + x)
	case x >= 2:
		return horizontalDown(x-2, y-1, mean2, mean3)
	case x == 1:
		return mean3(5 - y)
	}
	return mean2(4 - y)
}

// verticalLeft predicts a steep descent to the left.
func verticalLeft(x, y int, mean2, mean3 func(int) int) int {
	switch {
	case x == 3 && y >= 2:
		return mean3(9 + y)
	case y%2 == 0:
		return mean2(6 + x + y/2)
	}
	return mean3(7 + x + y/2)
}

// horizontalUp predicts an ascent to the right.
func horizontalUp(k int, mean2, mean3 func(int) int, last int) int {
	switch {
	case k > 5:
		return last
	case k%2 == 0:
		return mean2(3 - k/2)
	}
	return mean3(3 - k/2)
}

// add adds the inverse transform of a block.
func (p *vp8Plane) add(at int, c *[16]int16) {
	var t [16]int
	for i := range 4 {
		a, b, m, n := butterfly(int(c[i]), int(c[4+i]), int(c[8+i]), int(c[12+i]))
		t[4*i], t[4*i+1], t[4*i+2], t[4*i+3] = a+n, b+m, b-m, a-n
	}
	for i := range 4 {
		a, b, m, n := butterfly(t[i]+4, t[4+i], t[8+i], t[12+i])
		row := p.pix[at+i*p.stride:][:4]
		for x, v := range [4]int{a + n, b + m, b - m, a - n} {
			row[x] = clamp(int(row[x]) + v>>3)
		}
	}
}

func butterfly(v0, v1, v2, v3 int) (a, b, m, n int) {
	big := func(v int) int { return v*20091>>16 + v } // √2·cos(π/8)
	small := func(v int) int { return v * 35468 >> 16 }
	return v0 + v2, v0 - v2, small(v1) - big(v3), big(v1) + small(v3)
}
