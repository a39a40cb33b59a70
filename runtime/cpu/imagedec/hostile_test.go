package imagedec

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// allocatesLittle decodes a file that must be refused at little cost, with an error if one is given.
func allocatesLittle(t *testing.T, name string, data []byte, want error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := decode(data)
	runtime.ReadMemStats(&after)
	if err == nil || want != nil && err != want {
		t.Errorf("%s: got %v, %v, want %v", name, p, err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%s: %d bytes took %d KiB", name, len(data), took>>10)
	}
}

// emptyJP2 returns a codestream of a tile whose packets are empty: all samples are in the middle.
func emptyJP2(width, height, parts int) []byte {
	u32 := binary.BigEndian.AppendUint32
	b := append([]byte("\xff\x4f\xff\x51"), be(38+3*parts, 0)...)
	for _, v := range []int{width, height, 0, 0, width, height, 0, 0} {
		b = u32(b, uint32(v))
	}
	b = append(b, be(parts)...)
	for range parts {
		b = append(b, 7, 1, 1)
	}
	b = append(append(append(b, "\xff\x52"...), be(12)...), 0, 0, 0, 1, 0, 0, 4, 4, 0, 1)
	b = append(append(append(b, "\xff\x5c"...), be(4)...), 0x40, 8<<3)
	b = append(append(append(b, "\xff\x90"...), be(10, 0, 0, 14+parts)...), 0, 1, 0xff, 0x93)
	return append(append(b, make([]byte, parts)...), 0xff, 0xd9)
}

// jp2Boxes puts a codestream into boxes, with one that does not matter. The color space is a number of the specification.
func jp2Boxes(space int, stream []byte, more ...[]byte) []byte {
	b := []byte("\x00\x00\x00\x0cjP  \r\n\x87\n")
	head := jp2Box("colr", append([]byte{1, 0, 0}, binary.BigEndian.AppendUint32(nil, uint32(space))...))
	for _, m := range more {
		head = append(head, m...)
	}
	b = append(b, jp2Box("xml ", []byte("<a/>"))...)
	b = append(b, jp2Box("jp2h", head)...)
	return append(b, jp2Box("jp2c", stream)...)
}

func jp2Box(kind string, body []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

// TestSmallHostileFiles: files that claim to be huge cost next to nothing, whichever of their numbers is large.
func TestSmallHostileFiles(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"png of the largest size":       {hostilePNG(1<<31-1, 1<<31-1), nil},
		"bmp of the largest size":       {hostileBMP(1<<31-1, 1<<31-1, 1, bmpNone), errBytes},
		"bmp, upside down":              {hostileBMP(1<<16, -1<<16, 24, bmpNone), errBytes},
		"tiff of one row":               {hostileTIFF(0, tagWidth, 1<<31-1, tagHeight, 1, tagPhotometric, 1, tagCompression, 1), nil},
		"tiff of one column":            {hostileTIFF(0, tagWidth, 1, tagHeight, 1<<31-1, tagPhotometric, 1, tagCompression, 1), errBytes},
		"tiff of no pixels":             {hostileTIFF(0, tagWidth, 0, tagHeight, 5, tagPhotometric, 1, tagRowsPerStrip, 1), errFormat},
		"tiff of no rows":               {hostileTIFF(0, tagWidth, 5, tagHeight, 0, tagPhotometric, 1, tagTileWidth, 16, tagTileHeight, 16), errSize},
		"tiff of many samples":          {hostileTIFF(0, tagWidth, 1<<26, tagHeight, 1, tagPhotometric, 1, tagSamples, 16, tagBits, 16), errBytes},
		"tiff of tall tiles":            {hostileTIFF(0, tagWidth, 1, tagHeight, 1<<20, tagPhotometric, 1, tagTileWidth, 1<<20, tagTileHeight, 1<<20), errBytes},
		"tiff whose strip is elsewhere": {hostileTIFF(0, tagWidth, 4, tagHeight, 4, tagPhotometric, 1, tagStripOffsets, 1<<30, tagStripCounts, 1<<30), errFormat},
		"tiff whose directory is not":   {[]byte("II*\x00\xff\xff\xff\x7f"), errFormat},
		"gif of the largest size":       {hostileGIF(1<<16-1, 1<<16-1), errBytes},
		"jpeg of the largest size":      {hostileJPEG(1<<16-1, 1<<16-1, 1), errBytes},
		"webp of the largest size":      {hostileVP8(1<<14-1, 1<<14-1), errBytes},
		"jp2 of the largest size":       {hostileJP2(1<<31-1, 1<<31-1, 1<<20, 1, 15), errBytes},
	} {
		allocatesLittle(t, name, c.data, c.want)
	}
}

// TestOverlaps: blocks of a TIFF may be the same bytes, and lie in the directory, but not beyond the file.
func TestOverlaps(t *testing.T) {
	f := tiffFile{width: 4, height: 4, bits: 8, samples: 1, photometric: 1, compression: 1}
	entries := []tiffTag{{tagWidth, 3, []int{4}}, {tagHeight, 3, []int{4}}, {tagBits, 3, []int{8}}, {tagPhotometric, 3, []int{1}}, {tagRowsPerStrip, 3, []int{1}}}
	strips := func(at int) []byte {
		e := append(entries, tiffTag{tagStripOffsets, 3, []int{0, at, at, 0}}, tiffTag{tagStripCounts, 1, []int{4, 4, 4, 4}})
		return f.directory([]byte("II*\x00____abcd"), e)
	}
	size := len(strips(0))
	want := []byte(string(strips(0)[:4]) + "abcdabcd" + string(strips(0)[:4]))
	mustBe(t, "strips of the same bytes", strips(8), 4, 4, repeated(want), 0)
	if p, err := decode(strips(size - 4)); err != nil || p.rgb[12] != 0 {
		t.Errorf("a strip at the end of the file: %v", err)
	}
	for _, at := range []int{size - 3, size, 60000} {
		if p, err := decode(strips(at)); err != errFormat {
			t.Errorf("a strip at %d of %d bytes: got %v, %v", at, size, p, err)
		}
	}
}
