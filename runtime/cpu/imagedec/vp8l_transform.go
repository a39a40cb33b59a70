package imagedec

// addBytes adds the four bytes of two pixels.
func addBytes(a, b uint32) uint32 {
	return (a&0xff00ff00+b&0xff00ff00)&0xff00ff00 | (a&0x00ff00ff+b&0x00ff00ff)&0x00ff00ff
}

// undo inverts the transform.
func (t *transform) undo(pix []uint32, height int) []uint32 {
	switch t.kind {
	case byNeighbours:
		for i := range pix {
			pix[i] = addBytes(pix[i], t.predict(pix, i))
		}
	case byColor:
		across := ceilDiv(t.width, 1<<t.shift)
		for i, v := range pix {
			m := t.how[i/t.width>>t.shift*across+i%t.width>>t.shift]
			green := v >> 8
			red := v>>16 + part(m, green)
			blue := v + part(m>>8, green) + part(m>>16, red)
			pix[i] = v&0xff00ff00 | red&255<<16 | blue&255
		}
	case byGreen:
		for i, v := range pix {
			g := v >> 8 & 255
			pix[i] = addBytes(v, g<<16|g)
		}
	case byPalette:
		return t.colors(pix, height)
	}
	return pix
}

// part returns a part of a byte: share is in 32nds; both are signed.
func part(share, v uint32) uint32 { return uint32(int32(int8(share)) * int32(int8(v)) >> 5) }

// colors looks up the colors of pixels, of which several are in a byte.
func (t *transform) colors(pix []uint32, height int) []uint32 {
	out := make([]uint32, t.width*height)
	across, bits := ceilDiv(t.width, 1<<t.shift), 8>>t.shift
	for i := range out {
		x := i % t.width
		v := pix[i/t.width*across+x>>t.shift] >> 8 & 255
		c := int(v>>(x&(1<<t.shift-1)*bits)) & (1<<bits - 1)
		if c < len(t.how) {
			out[i] = t.how[c]
		}
	}
	return out
}

// predict returns the prediction for pixel i from its neighbors.
func (t *transform) predict(pix []uint32, i int) uint32 {
	x, y := i%t.width, i/t.width
	switch {
	case i == 0:
		return 0xff000000
	case y == 0:
		return pix[i-1]
	case x == 0:
		return pix[i-t.width]
	}
	left, top, corner := pix[i-1], pix[i-t.width], pix[i-t.width-1]
	right := pix[i-t.width+1] // for the last column, the first pixel of the row
	switch t.how[y>>t.shift*ceilDiv(t.width, 1<<t.shift)+x>>t.shift] >> 8 & 15 {
	case 1:
		return left
	case 2:
		return top
	case 3:
		return right
	case 4:
		return corner
	case 5:
		return mean(mean(left, right), top)
	case 6:
		return mean(left, corner)
	case 7:
		return mean(left, top)
	case 8:
		return mean(corner, top)
	case 9:
		return mean(top, right)
	case 10:
		return mean(mean(left, corner), mean(top, right))
	case 11:
		return nearer(left, top, corner)
	case 12:
		return eachByte(left, top, corner, func(l, t, c int) int { return l + t - c })
	case 13:
		return eachByte(mean(left, top), corner, 0, func(m, c, _ int) int { return m + (m-c)/2 })
	}
	return 0xff000000
}

// mean returns the mean of each byte, rounded down.
func mean(a, b uint32) uint32 { return a&b + (a^b)&0xfefefefe>>1 }

// nearer returns the one of left and top that is nearer to left + top - corner.
func nearer(left, top, corner uint32) uint32 {
	toLeft, toTop := 0, 0
	for s := 0; s < 32; s += 8 {
		l, t, c := int(left>>s&255), int(top>>s&255), int(corner>>s&255)
		toLeft += apart(t, c)
		toTop += apart(l, c)
	}
	if toLeft < toTop {
		return left
	}
	return top
}

func eachByte(a, b, c uint32, f func(a, b, c int) int) uint32 {
	v := uint32(0)
	for s := 0; s < 32; s += 8 {
		v |= uint32(clamp(f(int(a>>s&255), int(b>>s&255), int(c>>s&255)))) << s
	}
	return v
}
