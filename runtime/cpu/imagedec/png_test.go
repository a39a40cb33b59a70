package imagedec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"
)

// pngFile describes a PNG: how its samples are written, not what they are.
type pngFile struct {
	width, height int
	bits, color   int
	interlaced    bool
	filter        int // of the first row; each further row has the next one
	palette       []uint8
	transparency  []byte
	split         int // bytes of a chunk of data; 0: all
}

func (f pngFile) samples() int { return [7]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[f.color] }

func pngChunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// encode writes a file from its samples, pixel by pixel, with chunks that do not matter.
func (f pngFile) encode(v []int) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(f.width)), uint32(f.height))
	interlace := byte(0)
	if f.interlaced {
		interlace = 1
	}
	head = append(head, byte(f.bits), byte(f.color), 0, 0, interlace)
	b := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", head)...)
	b = append(b, pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f})...)
	b = append(b, pngChunk("tEXt", []byte("Comment\x00IDAT"))...)
	if f.palette != nil {
		b = append(b, pngChunk("PLTE", f.palette)...)
	}
	if f.transparency != nil {
		b = append(b, pngChunk("tRNS", f.transparency)...)
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(f.passes(v))
	w.Close()
	for data := z.Bytes(); len(data) > 0; {
		n := min(cmpOr(f.split, len(data)), len(data))
		b, data = append(b, pngChunk("IDAT", data[:n])...), data[n:]
	}
	return append(b, pngChunk("IEND", nil)...)
}

// adam7 is the passes of an interlaced image: the first pixel in x and y, and the distances.
var adam7 = [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

func (f pngFile) passes(v []int) (b []byte) {
	passes := adam7[:]
	if !f.interlaced {
		passes = [][4]int{{0, 0, 1, 1}}
	}
	n := f.samples()
	for _, p := range passes {
		var before []byte
		for y := p[1]; y < f.height && p[0] < f.width; y += p[3] {
			var row []int
			for x := p[0]; x < f.width; x += p[2] {
				row = append(row, v[(y*f.width+x)*n:][:n]...)
			}
			raw := packed(row, f.bits)
			if before == nil {
				before = make([]byte, len(raw))
			}
			kind := (f.filter + y) % 5
			b = append(append(b, byte(kind)), pngFiltered(kind, raw, before, max(n*f.bits/8, 1))...)
			before = raw
		}
	}
	return b
}

// pngFiltered subtracts the prediction from each byte of a row; n is the distance to the byte to its left.
func pngFiltered(kind int, row, above []byte, n int) (out []byte) {
	for i, x := range row {
		left, corner := 0, 0
		if i >= n {
			left, corner = int(row[i-n]), int(above[i-n])
		}
		up := int(above[i])
		guess := [5]int{0, left, up, (left + up) / 2, paeth(left, up, corner)}[kind]
		out = append(out, x-byte(guess))
	}
	return out
}

func paeth(a, b, c int) int {
	p := a + b - c
	pa, pb, pc := max(p-a, a-p), max(p-b, b-p), max(p-c, c-p)
	if pa <= pb && pa <= pc {
		return a
	}
	if pb <= pc {
		return b
	}
	return c
}

// colors returns the colors that the samples mean, without their transparency: those of 16 bits are cut to
// their high byte, the others are scaled to 255.
func (f pngFile) colors(v []int) (rgb []uint8) {
	n := f.samples()
	for i := 0; i < len(v); i += n {
		if f.color == 3 {
			rgb = append(rgb, f.palette[3*v[i]:][:3]...)
			continue
		}
		for k := range 3 {
			x := v[i]
			if n >= 3 {
				x = v[i+k]
			}
			if f.bits == 16 {
				x = x >> 8
			} else {
				x = x * 255 / (1<<f.bits - 1)
			}
			rgb = append(rgb, uint8(x))
		}
	}
	return rgb
}

// TestPNG writes images of all color types and depths, with all filters, interlaced or not. Transparency
// does not change the colors.
func TestPNG(t *testing.T) {
	for color, depths := range map[int][]int{0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}} {
		for _, bits := range depths {
			for filter := range 5 {
				for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 11}} {
					for k := range 4 {
						f := pngFile{width: size[0], height: size[1], bits: bits, color: color, filter: filter, interlaced: k%2 == 1, split: 7 * (k / 2)}
						v := noise(filter+k, f.width*f.height*f.samples(), 1<<bits)
						f.make(v, k >= 2)
						mustBe(t, fmt.Sprintf("%+v", f), f.encode(v), f.width, f.height, f.colors(v), 0)
					}
				}
			}
		}
	}
}

// make sets the palette and the transparency: of the first pixel's color, or of all colors of a palette.
func (f *pngFile) make(v []int, transparent bool) {
	if f.color == 3 {
		f.palette = bytesOf(noise(f.bits, 3<<f.bits, 256))
	}
	switch {
	case !transparent || f.color > 3:
	case f.color == 3:
		f.transparency = bytesOf(noise(7, 1<<f.bits-1, 256))
	default:
		f.transparency = be(v[:f.samples()]...)
	}
}

// TestPNGRefused: files with one mistake each.
func TestPNGRefused(t *testing.T) {
	good := pngFile{width: 3, height: 2, bits: 8, color: 2}
	v := noise(1, 18, 256)
	head := func(at int, b byte) []byte {
		data := good.encode(v)
		data[16+at] = b
		binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
		return data
	}
	for name, data := range map[string][]byte{
		"no width":                  head(3, 0),
		"no height":                 head(7, 0),
		"a width above 2³¹":         head(0, 0x80),
		"3 bits":                    head(8, 3),
		"colors of 4 bits":          head(8, 4),
		"color type 5":              head(9, 5),
		"another compression":       head(10, 1),
		"another filter method":     head(11, 1),
		"another interlacing":       head(12, 2),
		"a palette, but none there": head(9, 3),
		"too few rows":              head(7, 3),
		"a checksum that is wrong":  slices.Concat(good.encode(v)[:32], []byte("x"), good.encode(v)[33:]),
		"no header":                 slices.Concat(good.encode(v)[:8], good.encode(v)[33:]),
	} {
		if p, err := decode(data); err == nil {
			t.Errorf("%s: got %v", name, p)
		}
	}
	mustBe(t, "a right one", head(3, 3), 3, 2, bytesOf(v), 0)
}
