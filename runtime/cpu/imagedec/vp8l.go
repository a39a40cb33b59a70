package imagedec

// vp8l reads the lossless format of WebP. Pixels are alpha, red, green and blue, from the highest byte down.
type vp8l struct {
	data []byte
	acc  uint64
	have int

	beyond int // the number of bytes read after the end of the data
}

// bits reads n bits, the lowest first. After the data there are a few zeros.
func (d *vp8l) bits(n int) int {
	for d.have < n {
		if len(d.data) > 0 {
			d.acc |= uint64(d.data[0]) << d.have
			d.data = d.data[1:]
		} else if d.beyond++; d.beyond > 8 {
			panic(errFormat)
		}
		d.have += 8
	}
	v := int(d.acc & (1<<n - 1))
	d.acc >>= n
	d.have -= n
	return v
}

// transform is a transform of the image that decoding must invert.
type transform struct {
	kind  int
	width int // of the resulting image
	shift int // from a pixel's position to that of its parameters
	how   []uint32
}

// The kinds of transforms.
const (
	byNeighbours = iota
	byColor
	byGreen
	byPalette
)

// vp8lPerByte is the maximum number of pixels for each byte. A file may have vp8lPlain bytes more by this
// measure, as an image of one color needs no bits.
const (
	vp8lPerByte = 4096
	vp8lPlain   = 1 << 10
)

func decodeVP8L(data []byte) (*picture, error) {
	d := &vp8l{data: data}
	if d.bits(8) != 0x2f {
		return nil, errFormat
	}
	width, height := d.bits(14)+1, d.bits(14)+1
	d.bits(4) // transparency, version
	if err := checkSize(width, height, vp8lPerByte, vp8lPlain+len(data)); err != nil {
		return nil, err
	}
	p, err := newPicture(width, height)
	if err != nil {
		return nil, err
	}
	var steps []transform
	var seen [4]bool
	for w := width; ; {
		if d.bits(1) == 0 {
			pix := d.image(w, height, true)
			for i := len(steps) - 1; i >= 0; i-- {
				pix = steps[i].undo(pix, height)
			}
			for i, v := range pix {
				p.set(i, uint8(v>>16), uint8(v>>8), uint8(v))
			}
			return p, nil
		}
		kind := d.bits(2)
		if seen[kind] { // each occurs at most once
			return nil, errFormat
		}
		seen[kind] = true
		t := d.transform(kind, w, height)
		if kind == byPalette {
			w = ceilDiv(w, 1<<t.shift)
		}
		steps = append(steps, t)
	}
}

// transform reads a transform of a kind whose result has this size.
func (d *vp8l) transform(kind, w, h int) transform {
	t := transform{kind: kind, width: w}
	switch kind {
	case byNeighbours, byColor:
		t.shift = d.bits(3) + 2
		t.how = d.image(ceilDiv(w, 1<<t.shift), ceilDiv(h, 1<<t.shift), false)
	case byPalette:
		t.how = d.image(d.bits(8)+1, 1, false)
		for i := 1; i < len(t.how); i++ {
			t.how[i] = addBytes(t.how[i], t.how[i-1])
		}
		for _, most := range [3]int{16, 4, 2} { // pixels per byte
			if len(t.how) <= most {
				t.shift++
			}
		}
	}
	return t
}

// image reads an image of the given size. Only the main one may have groups of codes.
func (d *vp8l) image(w, h int, main bool) []uint32 {
	cacheBits := 0
	if d.bits(1) == 1 {
		cacheBits = d.bits(4)
	}
	var cache []uint32
	if cacheBits > 0 {
		cache = make([]uint32, 1<<cacheBits)
	}
	groups, shift, count := d.groups(w, h, main)
	if count > len(d.data)+1 { // five codes have at least 20 bits
		panic(errFormat)
	}
	codes := make([][5]prefixCode, count)
	for i := range codes {
		for k, n := range [5]int{256 + 24 + len(cache), 256, 256, 256, 40} {
			codes[i][k].read(d, n)
		}
	}
	pix := make([]uint32, w*h)
	for i := 0; i < len(pix); {
		c := &codes[0]
		if groups != nil {
			c = &codes[groups[i/w>>shift*ceilDiv(w, 1<<shift)+i%w>>shift]]
		}
		begin := i
		switch s := c[0].symbol(d); {
		case s < 256:
			red, blue := c[1].symbol(d), c[2].symbol(d)
			pix[i] = uint32(c[3].symbol(d)<<24 | red<<16 | s<<8 | blue)
			i++
		case s < 256+24:
			n := d.length(s - 256)
			from := i - distance(d.length(c[4].symbol(d)), w)
			for end := min(i+n, len(pix)); i < end; i++ {
				pix[i] = pix[from]
				from++
			}
		default:
			pix[i] = cache[s-256-24]
			i++
		}
		if cache != nil {
			for _, v := range pix[begin:i] {
				cache[v*0x1e35a7bd>>(32-cacheBits)] = v
			}
		}
	}
	return pix
}

// groups reads which group of codes the pixels of each block have, of 1<<shift pixels in both directions, and
// returns the number of groups. A nil list means one group for all.
func (d *vp8l) groups(w, h int, main bool) (groups []uint32, shift, count int) {
	if !main || d.bits(1) == 0 {
		return nil, 0, 1
	}
	shift, count = d.bits(3)+2, 1
	groups = d.image(ceilDiv(w, 1<<shift), ceilDiv(h, 1<<shift), false)
	for i, v := range groups {
		groups[i] = v >> 8 & 0xffff
		count = max(count, int(groups[i])+1)
	}
	return groups, shift, count
}

// length reads the value of a symbol for a length or a distance.
func (d *vp8l) length(s int) int {
	if s < 4 {
		return s + 1
	}
	n := (s - 2) >> 1
	return (2+s&1)<<n + d.bits(n) + 1
}

// distance returns the number of pixels from the copied one to the present one. Small codes are places near
// the pixel.
func distance(n, w int) int {
	if n > len(vp8lNear) {
		return n - len(vp8lNear)
	}
	c := int(vp8lNear[n-1])
	return max(c>>4*w+8-c&15, 1)
}

// vp8lNear is the places near a pixel, nearest first: the number of rows up, and 8 minus the number of
// columns to the left.
var vp8lNear = [120]uint8{
	0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a, 0x26, 0x2a, 0x38, 0x05, 0x37,
	0x39, 0x15, 0x1b, 0x36, 0x3a, 0x25, 0x2b, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b,
	0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34, 0x3c, 0x03, 0x57, 0x59, 0x13, 0x1d, 0x56,
	0x5a, 0x23, 0x2d, 0x44, 0x4c, 0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67, 0x69, 0x12, 0x1e,
	0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b, 0x32, 0x3e, 0x78, 0x01, 0x77,
	0x79, 0x53, 0x5d, 0x11, 0x1f, 0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b,
	0x31, 0x3f, 0x63, 0x6d, 0x52, 0x5e, 0x00, 0x74, 0x7c, 0x41, 0x4f, 0x10, 0x20, 0x62, 0x6e,
	0x30, 0x73, 0x7d, 0x51, 0x5f, 0x40, 0x72, 0x7e, 0x61, 0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
}
