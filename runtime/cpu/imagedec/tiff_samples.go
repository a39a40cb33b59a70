package imagedec

// samplesOf converts a row of samples to a byte each. Indices of a palette are unchanged.
func (t *tiff) samplesOf(dst []uint8, src []byte, samples int) {
	switch t.bits {
	case 16:
		sum := make([]int, samples)
		for i := range dst {
			v := int(t.order.Uint16(src[2*i:]))
			if t.predictor == 2 {
				sum[i%samples] = (sum[i%samples] + v) & 0xffff
				v = sum[i%samples]
			}
			dst[i] = uint8(v >> 8)
		}
	case 8:
		copy(dst, src)
		if t.predictor == 2 {
			for i := samples; i < len(dst); i++ {
				dst[i] += dst[i-samples]
			}
		}
	default:
		per, top := 8/t.bits, 1<<t.bits-1
		for i := range dst {
			shift := 8 - t.bits - i%per*t.bits
			v := int(src[i/per]) >> shift & top
			if t.photometric != 3 {
				v = v * 255 / top
			}
			dst[i] = uint8(v)
		}
	}
}

// place copies a block to its place. Its parts are the planes, or the first one has all samples of each
// pixel.
func (t *tiff) place(p *picture, x0, y0 int, parts [4][]uint8) {
	step := t.samples
	r, g, b := parts[0], parts[1], parts[2]
	if t.planar {
		step = 1
	} else if t.photometric == 2 {
		g, b = r[1:], r[2:]
	}
	for i := 0; i*step < len(parts[0]); i++ {
		x, y := x0+i%t.blockWidth, y0+i/t.blockWidth
		if x >= t.width || y >= t.height {
			continue
		}
		at, s := y*t.width+x, i*step
		switch t.photometric {
		case 0:
			p.set(at, 255-r[s], 255-r[s], 255-r[s])
		case 1:
			p.set(at, r[s], r[s], r[s])
		case 2:
			p.set(at, r[s], g[s], b[s])
		default:
			n := len(t.palettes) / 3
			c := int(r[s])
			p.set(at, uint8(t.palettes[c]>>8), uint8(t.palettes[n+c]>>8), uint8(t.palettes[2*n+c]>>8))
		}
	}
}

// unLZW expands TIFF's variant of LZW: codes begin with their highest bit, and become longer one code
// earlier.
func unLZW(src []byte, n int) ([]byte, error) {
	const clearCode, endCode, most = 256, 257, 4096
	var prefix [most]int
	var suffix, first [most]uint8
	for i := range 256 {
		suffix[i], first[i] = uint8(i), uint8(i)
	}
	out := make([]byte, 0, n)
	next, width, last := 258, 9, -1
	bits, have := 0, 0
	for len(out) < n {
		for have < width {
			if len(src) == 0 {
				return nil, errFormat
			}
			bits, have, src = bits<<8|int(src[0]), have+8, src[1:]
		}
		have -= width
		code := bits >> have
		bits &= 1<<have - 1
		switch {
		case code == clearCode:
			next, width, last = 258, 9, -1
			continue
		case code == endCode || code > next || code == next && last < 0:
			return nil, errFormat
		}
		if last >= 0 && next < most {
			prefix[next], first[next] = last, first[last]
			suffix[next] = first[code]
			if code == next {
				suffix[next] = first[last]
			}
			next++
			if next == 1<<width-1 && width < 12 {
				width++
			}
		}
		begin := len(out)
		for c := code; ; c = prefix[c] {
			out = append(out, suffix[c])
			if c < 256 {
				break
			}
		}
		for i, j := begin, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
		last = code
	}
	return out[:n], nil
}
