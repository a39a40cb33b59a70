package imagedec

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"slices"
	"testing"
)

// gifFile describes a GIF with four colors.
type gifFile struct {
	width, height int
	frame         [4]int // the first image's left, top, width and height
	interlaced    bool
	transparent   int  // 1 + the index that is transparent
	own           bool // the first image has colors of its own
	background    int
}

var fourColors = []uint8{10, 20, 30, 200, 100, 50, 7, 255, 0, 90, 91, 92}

// encode writes a file from indices of colors, with a second image and extensions that do not matter.
func (f gifFile) encode(v []int) []byte {
	le16 := func(v ...int) (b []byte) {
		for _, x := range v {
			b = append(b, byte(x), byte(x>>8))
		}
		return b
	}
	b := append([]byte("GIF89a"), le16(f.width, f.height)...)
	b = append(b, 0x81, byte(f.background), 0)
	if f.own {
		b = append(b, slices.Repeat([]byte{1, 2, 3}, 4)...)
	} else {
		b = append(b, fourColors...)
	}
	b = append(b, "!\xfe\x05,\x01!\xf9;\x00"...) // a comment
	if f.transparent > 0 {
		b = append(b, 0x21, 0xf9, 4, 1, 0, 0, byte(f.transparent-1), 0)
	}
	b = append(append(b, ','), le16(f.frame[:]...)...)
	flags := byte(0)
	if f.interlaced {
		flags |= 0x40
	}
	if f.own {
		b = append(append(b, flags|0x81), fourColors...)
	} else {
		b = append(b, flags)
	}
	b = append(b, f.data(v)...)
	if f.transparent > 0 {
		b = append(append(append(b, ','), le16(0, 0, 1, 1)...), 0)
		b = append(b, gifFile{frame: [4]int{0, 0, 1, 1}}.data([]int{3})...)
	}
	return append(b, ';')
}

// data compresses the rows of an image. An interlaced one has every eighth row first.
func (f gifFile) data(v []int) []byte {
	w, h := f.frame[2], f.frame[3]
	var rows []int
	for _, p := range [4][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}} {
		for y := p[0]; y < h; y += p[1] {
			rows = append(rows, y)
		}
	}
	if !f.interlaced {
		slices.Sort(rows)
	}
	var z bytes.Buffer
	l := lzw.NewWriter(&z, lzw.LSB, 2)
	for _, y := range rows {
		l.Write(bytesOf(v[y*w:][:w]))
	}
	l.Close()
	b := []byte{2}
	for s := z.Bytes(); len(s) > 0; {
		n := min(len(s), 200)
		b, s = append(append(b, byte(n)), s[:n]...), s[n:]
	}
	return append(b, 0)
}

// TestGIF writes images with every combination of features. The result is the whole screen: outside of the
// first image it has the color of the background. Transparent pixels have their color.
func TestGIF(t *testing.T) {
	for k := range 16 {
		for _, frame := range [][4]int{{0, 0, 13, 19}, {2, 1, 11, 18}, {12, 18, 1, 1}} {
			f := gifFile{width: 13, height: 19, frame: frame, interlaced: k&1 != 0, own: k&2 != 0}
			if k&4 != 0 {
				f.transparent = 2
			}
			if k&8 != 0 {
				f.background = 3
			}
			v := noise(k, frame[2]*frame[3], 4)
			outside := fourColors[3*f.background:][:3]
			if f.own {
				outside = []uint8{1, 2, 3}
			}
			want := slices.Repeat(outside, f.width*f.height)
			for i, c := range v {
				at := (frame[1]+i/frame[2])*f.width + frame[0] + i%frame[2]
				copy(want[3*at:], fourColors[3*c:][:3])
			}
			mustBe(t, fmt.Sprintf("%+v", f), f.encode(v), f.width, f.height, want, 0)
		}
	}
}
