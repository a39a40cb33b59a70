package imagedec

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRefused: files that are well-formed up to one place are refused, with the reason.
func TestRefused(t *testing.T) {
	smallest := errBytes
	if strconv.IntSize == 32 { // an int cannot hold the number of its rows
		smallest = errSize
	}
	tiff := func(tags ...int) []byte {
		return hostileTIFF(0, append([]int{tagWidth, 2, tagHeight, 2, tagStripOffsets, 0, tagStripCounts, 8, tagPhotometric, 1}, tags...)...)
	}
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"no image", nil, errFormat},
		{"a text", []byte("PK\x03\x04"), errFormat},
		{"bmp of 5 bits", hostileBMP(2, 2, 5, bmpNone), errFormat},
		{"bmp without a width", hostileBMP(0, 2, 8, bmpNone), errSize},
		{"bmp of a negative width", hostileBMP(-2, 2, 8, bmpNone), errSize},
		{"bmp of the smallest height", hostileBMP(1, -1<<31, 8, bmpNone), smallest},
		{"bmp without its rows", hostileBMP(64, 64, 24, bmpNone), errFormat},
		{"pnm without a height", []byte("P5 4 0 255 abcd"), errSize},
		{"pnm without a number", []byte("P5 4 x 255 abcd"), errFormat},
		{"pnm with a comment that does not end", []byte("P5 4 # 1 255 abcd"), errFormat},
		{"pnm of no brightness", []byte("P5 2 2 0 abcd"), errFormat},
		{"pnm that is too bright", []byte("P5 2 2 65536 abcdefgh"), errFormat},
		{"pnm of many digits", []byte("P5 99999999999999999999 2 255 abcd"), errBytes},
		{"pnm with other bits than 0 and 1", []byte("P1 2 2 0 1 1 2"), errFormat},
		{"pnm that ends in a word", []byte("P6 1 1 256 \x00\x01\x00\x01\x00"), errFormat},
		{"tiff of 3 bits", tiff(tagBits, 3), errFormat},
		{"tiff of 17 samples", tiff(tagSamples, 17), errFormat},
		{"tiff without samples", tiff(tagSamples, 0), errFormat},
		{"tiff of floats", tiff(tagSampleFormat, 3), errFormat},
		{"tiff of two colors", hostileTIFF(0, tagWidth, 1, tagHeight, 1, tagStripOffsets, 0, tagStripCounts, 8, tagPhotometric, 2, tagSamples, 2), errFormat},
		{"tiff of another color space", hostileTIFF(0, tagWidth, 1, tagHeight, 1, tagStripOffsets, 0, tagStripCounts, 8, tagPhotometric, 6), errFormat},
		{"tiff with a tag twice", tiff(tagBits, 8, tagBits, 8), errFormat},
		{"tiff of a compression nobody knows", tiff(tagCompression, 7), errFormat},
		{"tiff of strips without rows", tiff(tagRowsPerStrip, 0), errFormat},
		{"tiff of fewer blocks than it has", tiff(tagRowsPerStrip, 1, tagBits, 8), errFormat},
		{"gif of less than a header", []byte("GIF89a\x01"), nil},
		{"webp of another kind", []byte("RIFF\x00\x00\x00\x00WEBPVP9 \x04\x00\x00\x00abcd"), errFormat},
		{"webp without a size", hostileVP8(0, 2), errSize},
		{"jpeg without a width", hostileJPEG(0, 2, 1), errSize},
		{"jp2 of tiles without a size", hostileJP2(8, 8, 0, 1, 15), errFormat},
	} {
		p, err := decode(c.data)
		if err == nil || c.want != nil && err != c.want {
			t.Errorf("%s: got %v, %v, want %v", c.name, p, err, c.want)
		}
	}
}

// mustBeWhole checks the result of a damaged file: an error, or an image with all its pixels.
func mustBeWhole(t *testing.T, what string, data []byte) {
	t.Helper()
	if p, err := decode(data); err == nil && (p.width < 1 || p.height < 1 || len(p.rgb) != 3*p.width*p.height) {
		t.Errorf("%s: %d×%d pixels have %d bytes", what, p.width, p.height, len(p.rgb))
	}
}

// TestDamaged: files that end early, or have one wrong byte, are refused or decoded, but never panic.
func TestDamaged(t *testing.T) {
	step := 5
	if testing.Short() {
		step = 37
	}
	for _, file := range files(t) {
		data := read(t, file)
		t.Run(filepath.Base(file), func(t *testing.T) {
			for n := 0; n < len(data); n += step {
				mustBeWhole(t, "a part of it", data[:n])
				for _, b := range []byte{0xff, data[n] ^ 1} {
					damaged := slices.Clone(data)
					damaged[n] = b
					mustBeWhole(t, "with another byte", damaged)
				}
			}
		})
	}
}

// TestTruncated: formats whose sizes stand in the header refuse a file without its last bytes, even if these follow in memory.
// The others fill up with what there is.
func TestTruncated(t *testing.T) {
	for _, file := range files(t) {
		name := filepath.Base(file)
		if ext := filepath.Ext(name); ext != ".pnm" && ext != ".bmp" || strings.HasPrefix(name, "rle") || strings.HasPrefix(name, "text") {
			continue
		}
		data := read(t, file)
		if _, err := decode(data[:len(data)-4]); err == nil {
			t.Errorf("%s is decoded without its last 4 bytes", name)
		}
	}
}
