package imagedec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// noise returns n numbers below top that look random and are the same in each run.
func noise(seed, n, top int) []int {
	out, s := make([]int, n), uint32(seed)*2654435761+1
	for i := range out {
		s = s*1664525 + 1013904223
		out[i] = int(s>>8) % top
	}
	return out
}

// scaled returns round(v·255/top).
func scaled(v, top int) uint8 { return uint8((2*v*255 + top) / (2 * top)) }

// repeated returns each number three times, as the colors of gray pixels.
func repeated(gray []uint8) (rgb []uint8) {
	for _, v := range gray {
		rgb = append(rgb, v, v, v)
	}
	return rgb
}

// mustBe decodes a file and compares it with its pixels. No byte of the result may differ by more than apart.
func mustBe(t *testing.T, name string, data []byte, width, height int, rgb []uint8, apart int) {
	t.Helper()
	p, err := decode(data)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if p.width != width || p.height != height || len(p.rgb) != len(rgb) {
		t.Errorf("%s: got %d×%d with %d bytes, want %d×%d with %d", name, p.width, p.height, len(p.rgb), width, height, len(rgb))
		return
	}
	for i, v := range p.rgb {
		if d := int(v) - int(rgb[i]); d > apart || -d > apart {
			t.Errorf("%s: color %d of pixel %d, %d is %d, want %d", name, i%3, i/3%width, i/3/width, v, rgb[i])
			return
		}
	}
}

// small is a valid file of each format, of 5×4 pixels. Its last bytes matter.
func small() map[string][]byte {
	rgb := noise(1, 60, 256)
	out := map[string][]byte{
		"bmp":    bmpFile{width: 5, height: 4, bits: 24}.encode(rgb),
		"tiff":   tiffFile{width: 5, height: 4, bits: 8, samples: 3, photometric: 2, compression: 1}.encode(rgb),
		"png":    pngFile{width: 5, height: 4, bits: 8, color: 2}.encode(rgb),
		"gif":    gifFile{width: 5, height: 4, frame: [4]int{0, 0, 5, 4}}.encode(noise(2, 20, 4)),
		"jpeg":   flatJPEG{width: 5, height: 4, factors: [][2]int{{1, 1}, {1, 1}, {1, 1}}}.encode(),
		"webp":   vp8lFile{width: 5, height: 4}.encode(rgb),
		"pnm":    pnmFile('6', 5, 4, 255, rgb),
		"jp2":    emptyJP2(5, 4, 3),
		"jp2box": jp2Boxes(16, emptyJP2(5, 4, 3)),
	}
	return out
}

// TestLimitOfEachFormat: an image with as many pixels as the limit is decoded, and one with a pixel more is
// refused with its size, in all formats.
func TestLimitOfEachFormat(t *testing.T) {
	defer SetMaxPixels(0)
	for name, data := range small() {
		SetMaxPixels(20)
		if p, err := decode(data); err != nil || p.width != 5 || p.height != 4 {
			t.Errorf("%s of as many pixels as the limit: %v", name, err)
		}
		SetMaxPixels(19)
		_, err := decode(data)
		e, ok := errors.AsType[*limitError](err)
		if !ok || !strings.HasPrefix(e.Error(), "an image has 5×4 pixels, more than the limit of 19: ") {
			t.Errorf("%s of more pixels than the limit: %v", name, err)
		}
		if got := failure(func() { Measure(make([]int64, 2), data) }); got != fmt.Sprintf("ImageDecoder: %v", err) {
			t.Errorf("%s: Measure fails with %q", name, got)
		}
	}
}

// TestLimitOfBlocks: a TIFF that is much larger than the limit is refused for its size, and one whose tile is much
// larger than the limit for that, though the file may have so many pixels.
func TestLimitOfBlocks(t *testing.T) {
	defer SetMaxPixels(0)
	SetMaxPixels(50000)
	f := tiffFile{width: 400, height: 400, bits: 8, samples: 3, photometric: 2, compression: 8}
	_, err := decode(f.encode(make([]int, 3*400*400)))
	if e, ok := errors.AsType[*limitError](err); !ok || e.width != 400 || e.height != 400 {
		t.Errorf("a large image: %v", err)
	}
	f.width, f.height, f.tileWidth, f.tileHeight = 1, 400, 1<<10, 400
	if _, err := decode(f.encode(make([]int, 3*400))); err != errFormat {
		t.Errorf("a large tile: %v", err)
	}
	f.tileWidth = 1 << 7
	mustBe(t, "a tile that is not too large", f.encode(make([]int, 3*400)), 1, 400, make([]uint8, 3*400), 0)
}

// failure returns the text with which f panics.
func failure(f func()) (text string) {
	defer func() { text = strings.TrimPrefix(fmt.Sprint(recover()), "cpu.") }()
	f()
	return ""
}

// TestEveryTruncation decodes each beginning of a small file of each format.
func TestEveryTruncation(t *testing.T) {
	must := map[string]bool{"bmp": true, "tiff": true, "png": true, "gif": true, "pnm": true} // their pixels end the file
	for name, data := range small() {
		for n := range len(data) {
			mustBeWhole(t, fmt.Sprintf("%s of %d bytes", name, n), data[:n])
		}
		if _, err := decode(data[:len(data)-1-trailer[name]]); must[name] && err == nil {
			t.Errorf("%s is decoded without its last byte", name)
		}
	}
}

// trailer is the number of bytes that follow the pixels of a file.
var trailer = map[string]int{"png": 12, "gif": 2, "tiff": 4}

// TestEveryWrongByte replaces each byte of a small file of each format by some others.
func TestEveryWrongByte(t *testing.T) {
	for name, data := range small() {
		for i, was := range data {
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, was ^ 1, was ^ 0x80, was + 1} {
				damaged := slices.Clone(data)
				damaged[i] = b
				mustBeWhole(t, fmt.Sprintf("%s with %#x at %d", name, b, i), damaged)
			}
		}
	}
}

// TestBytesBehind: decoding neither reads nor writes what follows the file in memory, and leaves the file
// unchanged.
func TestBytesBehind(t *testing.T) {
	for name, data := range small() {
		behind := strings.Repeat("\xa5", 100)
		long := append(slices.Clone(data), behind...)
		a, _ := decode(data)
		b, err := decode(long[:len(data)])
		if err != nil || !slices.Equal(a.rgb, b.rgb) {
			t.Errorf("%s with bytes behind it: %v", name, err)
		}
		if string(long) != string(data)+behind {
			t.Errorf("%s: decoding changed the file", name)
		}
	}
}

// TestDecodeNothing: an image that was measured as empty is decoded into nothing, and one that was not
// measured is an error of the caller.
func TestDecodeNothing(t *testing.T) {
	Decode(nil, []byte("no image"), "RGB")
	if got := failure(func() { Decode(make([]uint8, 3), []byte("no image"), "RGB") }); got != "BUG: an image that was measured cannot be decoded: "+errFormat.Error() {
		t.Errorf("got %q", got)
	}
}
