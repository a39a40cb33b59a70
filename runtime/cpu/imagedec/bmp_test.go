package imagedec

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// bmpFile describes a bitmap: how its pixels are written, not what they are.
type bmpFile struct {
	width, height int
	bits          int
	old           bool // the header of 12 bytes
	topDown       bool
	masks         []uint32 // red, green, blue
	palette       []uint8  // red, green, blue
}

// encode writes a bitmap from numbers: three colors per pixel for 24 bits, else one number per pixel.
func (f bmpFile) encode(v []int) []byte {
	colors := 0
	if f.bits <= 8 {
		colors = len(f.palette) / 3
	}
	head := 40
	entry := 4
	if f.old {
		head, entry = 12, 3
	}
	begin := 14 + head + 4*len(f.masks) + entry*colors
	b := append([]byte("BM"), le32(0, 0, begin, head)...)
	height := f.height
	if f.topDown {
		height = -height
	}
	if f.old {
		b = append(b, byte(f.width), byte(f.width>>8), byte(height), byte(height>>8), 1, 0, byte(f.bits), 0)
	} else {
		b = append(append(b, le32(f.width, height)...), 1, 0, byte(f.bits), 0)
		b = append(b, le32(len(f.masks), 0, 0, 0, colors, 0)...) // three masks are compression 3
	}
	for _, m := range f.masks {
		b = binary.LittleEndian.AppendUint32(b, m)
	}
	for i := range colors {
		b = append(b, f.palette[3*i+2], f.palette[3*i+1], f.palette[3*i])
		b = append(b, make([]byte, entry-3)...)
	}
	for y := range f.height {
		if !f.topDown {
			y = f.height - 1 - y
		}
		n := len(v) / f.height
		b = append(b, f.row(v[y*n:][:n])...)
	}
	return b
}

// row writes a row, filled up to a multiple of four bytes.
func (f bmpFile) row(v []int) []byte {
	var b []byte
	switch f.bits {
	case 16:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, uint16(x))
		}
	case 24:
		for i := 0; i < len(v); i += 3 {
			b = append(b, byte(v[i+2]), byte(v[i+1]), byte(v[i]))
		}
	case 32:
		b = le32(v...)
	default:
		b = packed(v, f.bits)
	}
	for len(b)%4 != 0 {
		b = append(b, 0xee) // anything
	}
	return b
}

// packed writes numbers of a few bits, the first one in the highest bits of the first byte.
func packed(v []int, bits int) []byte {
	b := make([]byte, (len(v)*bits+7)/8)
	for i, x := range v {
		for k := range bits {
			at := i*bits + k
			b[at/8] |= byte(x>>(bits-1-k)&1) << (7 - at%8)
		}
	}
	return b
}

// looked returns the colors of indices.
func looked(v []int, palette []uint8) (rgb []uint8) {
	for _, i := range v {
		rgb = append(rgb, palette[3*i:][:3]...)
	}
	return rgb
}

func bytesOf(v []int) (b []uint8) {
	for _, x := range v {
		b = append(b, uint8(x))
	}
	return b
}

// TestBMPPalettes writes images of 1, 4 and 8 bits with all widths in which rows end differently.
func TestBMPPalettes(t *testing.T) {
	for _, bits := range []int{1, 4, 8} {
		palette := bytesOf(noise(bits, 3<<bits, 256))
		for width := 1; width <= 33; width++ {
			for k := range 3 {
				f := bmpFile{width: width, height: 3, bits: bits, palette: palette, old: k == 1, topDown: k == 2}
				v := noise(width, 3*width, 1<<bits)
				mustBe(t, fmt.Sprintf("%d bits, width %d, variant %d", bits, width, k), f.encode(v), width, 3, looked(v, palette), 0)
			}
		}
	}
}

func TestBMPColors(t *testing.T) {
	for width := 1; width <= 9; width++ {
		for k := range 3 {
			v := noise(width, 6*width, 256)
			f := bmpFile{width: width, height: 2, bits: 24, old: k == 1, topDown: k == 2}
			mustBe(t, fmt.Sprintf("width %d, variant %d", width, k), f.encode(v), width, 2, bytesOf(v), 0)
		}
	}
}

// TestBMPMasks writes pixels of 16 and 32 bits: a color is the masked bits, scaled to 255 and rounded down.
func TestBMPMasks(t *testing.T) {
	for _, c := range []struct {
		bits  int
		masks []uint32 // nil: those that files without masks have
		shift [3]int
		size  [3]int
	}{
		{16, nil, [3]int{10, 5, 0}, [3]int{5, 5, 5}},
		{16, []uint32{0xf800, 0x7e0, 0x1f}, [3]int{11, 5, 0}, [3]int{5, 6, 5}},
		{16, []uint32{0xf, 0xf0, 0xf00}, [3]int{0, 4, 8}, [3]int{4, 4, 4}},
		{16, []uint32{0x8000, 0, 0x7fff}, [3]int{15, 0, 0}, [3]int{1, 0, 15}},
		{32, nil, [3]int{16, 8, 0}, [3]int{8, 8, 8}},
		{32, []uint32{0xff, 0xff00, 0xff0000}, [3]int{0, 8, 16}, [3]int{8, 8, 8}},
		{32, []uint32{0x3ff00000, 0xffc00, 0x3ff}, [3]int{20, 10, 0}, [3]int{10, 10, 10}},
		{32, []uint32{0xff000000, 0xff0000, 0xff00}, [3]int{24, 16, 8}, [3]int{8, 8, 8}},
	} {
		var v []int
		var want []uint8
		for i, x := range noise(c.bits, 21, 1<<24) {
			x = (x<<8 | x>>3) & (1<<c.bits - 1)
			if i == 0 {
				x = 1<<c.bits - 1
			}
			v = append(v, x)
			for k, n := range c.size {
				color := 0
				if n > 0 {
					color = (x >> c.shift[k] & (1<<n - 1)) * 255 / (1<<n - 1)
				}
				want = append(want, uint8(color))
			}
		}
		f := bmpFile{width: 7, height: 3, bits: c.bits, masks: c.masks}
		mustBe(t, fmt.Sprintf("%d bits, masks %x", c.bits, c.masks), f.encode(v), 7, 3, want, 0)
	}
}

// TestBMPRuns decodes compressed images, which are written here row by row from the bottom up: letters are
// colors, and a dot is the first color.
func TestBMPRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		bits int
		data string
		want string
	}{
		{"runs", 8, "\x05a\x00\x00\x02b\x03c\x00\x00\x05d\x00\x01", "aaaaa bbccc ddddd"},
		{"literals of an odd number", 8, "\x00\x03abc\x00\x02d\x00\x00\x00\x04abcd\x01e\x00\x01", "abcdd abcde ....."},
		{"a move", 8, "\x01a\x00\x02\x02\x01\x02b\x00\x00\x01c\x00\x01", "a.... ...bb c...."},
		{"no end of the last row", 8, "\x05a\x00\x00\x05b\x00\x00\x05c", "aaaaa bbbbb ccccc"},
		{"a run beyond the row", 8, "\xffa\x00\x00\x01b\x00\x01", "aaaaa b.... ....."},
		{"a move beyond the image", 8, "\x01a\x00\x02\x00\xff\x05b", "a.... ..... ....."},
		{"rows above the image", 8, "\x00\x00\x00\x00\x00\x00\x05a\x00\x01", "..... ..... ....."},
		{"data after the end", 8, "\x01a\x00\x01\x05b", "a.... ..... ....."},
		{"one byte at the end", 8, "\x01a\x05", "a.... ..... ....."},
		{"two colors in turn", 4, "\x05\x12\x00\x00\x04\x34\x01\x50\x00\x01", "ababa cdcde ....."},
		{"literals of four bits", 4, "\x00\x05\x12\x34\x50\x00\x00\x00\x00\x03\x12\x30\x02\x45\x00\x01", "abcde abcde ....."},
		{"a move of four bits", 4, "\x00\x02\x01\x02\x03\x12\x00\x01", "..... ..... .aba."},
	} {
		palette := bytesOf(noise(9, 3*256, 256))
		compression := bmpRLE8
		if c.bits == 4 {
			compression = bmpRLE4
		}
		b := append([]byte("BM"), le32(0, 0, 54+1024, 40, 5, 3)...)
		b = append(b, 1, 0, byte(c.bits), 0)
		b = append(b, le32(compression, 0, 0, 0, 0, 0)...)
		for i := range 256 {
			b = append(b, palette[3*i+2], palette[3*i+1], palette[3*i], 0)
		}
		rows := strings.Fields(c.want)
		var v []int
		for y := 2; y >= 0; y-- {
			for _, l := range rows[y] {
				i := int(l)
				if l == '.' {
					i = 0
				} else if c.bits == 4 {
					i -= 'a' - 1
				}
				v = append(v, i)
			}
		}
		mustBe(t, c.name, append(b, c.data...), 5, 3, looked(v, palette), 0)
	}
}
