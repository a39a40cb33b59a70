package imagedec

import "encoding/binary"

// bmp is the header of a Windows bitmap.
type bmp struct {
	width, height int
	topDown       bool
	bits          int
	compression   uint32
	masks         [3]uint32
	palette       []byte // blue, green, red and, except in old files, a zero
	entry         int    // bytes of a color of the palette
	pixels        []byte
}

// The compressions of a bitmap.
const (
	bmpNone      = 0
	bmpRLE8      = 1
	bmpRLE4      = 2
	bmpBitfields = 3
	bmpAlpha     = 6
)

func decodeBMP(data []byte) (*picture, error) {
	h, err := readBMP(data)
	if err != nil {
		return nil, err
	}
	if err := h.check(len(data)); err != nil {
		return nil, err
	}
	p, err := newPicture(h.width, h.height)
	if err != nil {
		return nil, err
	}
	src := h.pixels
	if h.compression == bmpRLE8 || h.compression == bmpRLE4 {
		src = h.unpack()
	}
	stride := (h.width*h.bits + 31) / 32 * 4
	for y := range h.height {
		row := src[y*stride:][:stride]
		at := (h.height - 1 - y) * h.width
		if h.topDown {
			at = y * h.width
		}
		for x := range h.width {
			r, g, b := h.pixel(row, x)
			p.set(at+x, r, g, b)
		}
	}
	return p, nil
}

// check returns an error if the image cannot be in a file of that many bytes: a byte encodes up to eight
// pixels, or half of a run of 255.
func (h *bmp) check(bytes int) error {
	perByte := 8
	if h.compression == bmpRLE8 || h.compression == bmpRLE4 {
		perByte = 128
	}
	return checkSize(h.width, h.height, perByte, bytes)
}

func readBMP(data []byte) (*bmp, error) {
	le := binary.LittleEndian
	size := int(le.Uint32(data[14:]))
	h := &bmp{entry: 4}
	if size == 12 {
		h.width, h.height = int(le.Uint16(data[18:])), int(le.Uint16(data[20:]))
		h.bits, h.entry = int(le.Uint16(data[24:])), 3
	} else {
		h.width, h.height = int(int32(le.Uint32(data[18:]))), int(int32(le.Uint32(data[22:])))
		h.bits, h.compression = int(le.Uint16(data[28:])), le.Uint32(data[30:])
	}
	if h.height < 0 {
		h.height, h.topDown = -h.height, true
	}
	rest := 14 + size
	switch {
	case h.compression == bmpBitfields || h.compression == bmpAlpha:
		for i := range h.masks { // after a short header, or part of a long one
			h.masks[i] = le.Uint32(data[54+4*i:])
		}
	case h.bits == 16:
		h.masks = [3]uint32{0x7c00, 0x3e0, 0x1f}
	case h.bits == 32:
		h.masks = [3]uint32{0xff0000, 0xff00, 0xff}
	}
	switch h.bits {
	case 1, 4, 8:
		h.palette = data[rest:]
	case 16, 24, 32:
	default:
		return nil, errFormat
	}
	h.pixels = data[le.Uint32(data[10:]):]
	return h, nil
}

// pixel returns pixel x of a row.
func (h *bmp) pixel(row []byte, x int) (r, g, b uint8) {
	switch h.bits {
	case 24:
		return row[3*x+2], row[3*x+1], row[3*x]
	case 16:
		return h.masked(uint32(binary.LittleEndian.Uint16(row[2*x:])))
	case 32:
		return h.masked(binary.LittleEndian.Uint32(row[4*x:]))
	}
	per := 8 / h.bits
	i := int(row[x/per]>>(8-h.bits-x%per*h.bits)) & (1<<h.bits - 1)
	c := h.palette[i*h.entry:]
	return c[2], c[1], c[0]
}

func (h *bmp) masked(v uint32) (r, g, b uint8) {
	var c [3]uint8
	for i, m := range h.masks {
		if m != 0 {
			low := m & -m
			c[i] = uint8(uint64(v&m/low) * 255 / uint64(m/low))
		}
	}
	return c[0], c[1], c[2]
}

// unpack expands runs of pixels into rows.
func (h *bmp) unpack() []byte {
	stride := (h.width*h.bits + 31) / 32 * 4
	out := make([]byte, stride*h.height)
	put := func(x, y int, v byte) {
		if x >= h.width || y >= h.height {
			return
		}
		if h.bits == 8 {
			out[y*stride+x] = v
		} else {
			out[y*stride+x/2] |= v & 15 << (4 - x%2*4)
		}
	}
	nibble := func(b byte, i int) byte { // pixel i of a run of two colors
		if h.bits == 8 {
			return b
		}
		return b >> (4 - i%2*4) & 15
	}
	src := h.pixels
	for x, y := 0, 0; len(src) >= 2 && y < h.height; {
		n, v := int(src[0]), src[1]
		src = src[2:]
		switch {
		case n > 0:
			for i := range n {
				put(x+i, y, nibble(v, i))
			}
			x += n
		case v == 0:
			x, y = 0, y+1
		case v == 1:
			return out
		case v == 2:
			x, y = x+int(src[0]), y+int(src[1])
			src = src[2:]
		default:
			per := 8 / h.bits
			for i := range int(v) {
				put(x+i, y, nibble(src[i/per], i))
			}
			x += int(v)
			src = src[((int(v)+per-1)/per+1)/2*2:]
		}
	}
	return out
}
