package imagedec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// pnmFile writes a portable image. The words of its header and the numbers of a text are separated in many
// ways.
func pnmFile(kind byte, width, height, top int, v []int) []byte {
	b := fmt.Appendf(nil, "P%c # %d\n#\n\t%d\r\n%d", kind, 12345, width, height)
	if kind != '1' && kind != '4' {
		b = fmt.Appendf(b, "\v%d", top)
	}
	switch kind {
	case '1', '2', '3':
		for i, x := range v {
			b = fmt.Appendf(b, "%s%d", []string{" ", "\n", "\t\f", " # 7 8\n", "\r"}[i%5], x)
		}
	case '4':
		b = append(b, ' ')
		for y := range height {
			b = append(b, packed(v[y*width:][:width], 1)...)
		}
	default:
		b = append(b, '\n')
		for _, x := range v {
			if top > 255 {
				b = append(b, byte(x>>8))
			}
			b = append(b, byte(x))
		}
	}
	return b
}

// TestPNM writes all kinds with several brightest values: each sample is scaled to 255 and rounded.
func TestPNM(t *testing.T) {
	for _, kind := range []byte("123456") {
		tops := []int{1, 2, 3, 7, 100, 254, 255, 256, 1000, 65534, 65535}
		if kind == '1' || kind == '4' {
			tops = []int{1}
		}
		for _, top := range tops {
			for _, width := range []int{1, 7, 8, 9} {
				n := width * 3
				if kind == '3' || kind == '6' {
					n *= 3
				}
				v := noise(top, n, top+1)
				v[0], v[n-1] = top, 0
				var want []uint8
				for _, x := range v {
					s := scaled(x, top)
					if kind == '1' || kind == '4' {
						s = 255 - s // a one is black
					}
					want = append(want, s)
				}
				if n == width*3 {
					want = repeated(want)
				}
				mustBe(t, fmt.Sprintf("P%c up to %d, width %d", kind, top, width), pnmFile(kind, width, 3, top, v), width, 3, want, 0)
			}
		}
	}
}

// TestPNMEdges: what the format allows besides.
func TestPNMEdges(t *testing.T) {
	for _, c := range []struct {
		name, data string
		gray       []uint8
	}{
		{"bits without space between them", "P1 3 2 101\n010", []uint8{0, 255, 0, 255, 0, 255}},
		{"a sample above the brightest", "P2 3 2 9 0 9 10 99 1 0", []uint8{0, 255, 255, 255, 28, 0}},
		{"a byte above the brightest", "P5 3 2 9 \x00\x09\x0a\xff\x01\x00", []uint8{0, 255, 255, 255, 28, 0}},
		{"a first pixel that is white space", "P5 3 2 255 \n \t\r\v\f", []uint8{10, 32, 9, 13, 11, 12}},
		{"a second image", "P5 3 2 255 abcdefP5 1 1 255 x", []uint8("abcdef")},
		{"many zeros", "P2 0003 2 00000255 1 02 003 4 5 6", []uint8{1, 2, 3, 4, 5, 6}},
		{"unused bits", "P4 3 2 \xbf\x40", []uint8{0, 255, 0, 255, 0, 255}},
	} {
		mustBe(t, c.name, []byte(c.data), 3, 2, repeated(c.gray), 0)
	}
}

// TestPNMTooLarge: sizes that cannot be in the file are refused before memory is allocated, however they are
// written.
func TestPNMTooLarge(t *testing.T) {
	for _, size := range []string{"65535 65535", "4294967296 4294967296", "2147483647 2147483647", "1 999999999999", "99999999999999999999999 1", "9999999 1"} {
		for _, kind := range "123456" {
			data := []byte(strings.TrimSpace(fmt.Sprintf("P%c %s 255 1 1 1", kind, size)))
			data = slices.Concat(data, make([]byte, 100))
			allocatesLittle(t, size, data, errBytes)
		}
	}
}
