package imagedec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// be returns numbers as in files, two bytes each, big endian.
func be(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(x))
	}
	return b
}

func le32(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// hostileJPEG returns a JPEG of the given size with a number of almost empty scans.
func hostileJPEG(width, height, scans int) []byte {
	b := []byte("\xff\xd8\xff\xc4\x00\x14\x00\x01" + strings.Repeat("\x00", 15) + "\x00") // a code for zero of one bit
	b = append(b, "\xff\xc4\x00\x14\x10\x01"+strings.Repeat("\x00", 15)+"\x00"...)
	b = append(b, "\xff\xdb\x00\x43\x00"+strings.Repeat("\x01", 64)...)
	b = append(b, "\xff\xc2\x00\x11\x08"...)
	b = append(append(b, be(height, width)...), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	for range scans {
		b = append(b, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00"...)
	}
	return append(b, 0xff, 0xd9)
}

// hostilePNG returns the header of a PNG, with data that end immediately.
func hostilePNG(width, height int) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	var z bytes.Buffer
	zlib.NewWriter(&z).Close()
	head := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height)), 16, 6, 0, 0, 0)
	return append(append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)...), append(chunk("IDAT", z.Bytes()), chunk("IEND", nil)...)...)
}

func hostileGIF(width, height int) []byte {
	size := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(width)), uint16(height))
	b := append(append([]byte("GIF89a"), size...), "\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00"...)
	return append(append(b, size...), "\x00\x02\x01\x00\x00;"...)
}

func hostileBMP(width, height, bits, compression int) []byte {
	b := append([]byte("BM"), le32(0, 0, 54, 40, width, height)...)
	b = append(b, 1, 0, byte(bits), 0)
	b = append(b, le32(compression, 0, 0, 0, 0, 0)...)
	return append(b, 0, 1, 0, 0)
}

// hostileTIFF returns a directory of numbers; tags are pairs of a tag and a value.
func hostileTIFF(extra int, tags ...int) []byte {
	n := len(tags)/2 + extra
	b := append([]byte("II*\x00"), le32(8)...)
	b = append(b, byte(n), byte(n>>8))
	for i := 0; i < len(tags); i += 2 {
		b = append(b, byte(tags[i]), byte(tags[i]>>8), 4, 0)
		b = append(b, le32(1, tags[i+1])...)
	}
	for i := range extra { // private tags, each with the whole file as its value
		b = append(b, byte(i), byte(i>>8)|0x80, 1, 0)
		b = append(b, le32(12*n, 0)...)
	}
	return b
}

func hostileVP8L(width, height int) []byte {
	bits := uint32(width-1) | uint32(height-1)<<14
	data := append([]byte{0x2f}, le32(int(bits))...)
	data = append(data, 0x88, 0x88, 0x08, 0, 0, 0, 0, 0)
	b := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8L"), le32(len(data))...)
	return append(b, data...)
}

func hostileVP8(width, height int) []byte {
	data := append([]byte("\x10\x02\x00\x9d\x01\x2a"), byte(width), byte(width>>8), byte(height), byte(height>>8))
	data = append(data, make([]byte, 64)...)
	b := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "), le32(len(data))...)
	return append(b, data...)
}

// hostileJP2 returns a codestream of an image of three components, with tiles of the given size.
func hostileJP2(width, height, tile, layers, precinct int) []byte {
	u32 := binary.BigEndian.AppendUint32
	b := append([]byte("\xff\x4f\xff\x51"), be(47, 0)...)
	for _, v := range []int{width, height, 0, 0, tile, tile, 0, 0} {
		b = u32(b, uint32(v))
	}
	b = append(append(b, be(3)...), 7, 1, 1, 7, 1, 1, 7, 1, 1)
	b = append(append(b, "\xff\x52"...), be(13)...)
	b = append(append(b, 1, 0), be(layers)...)
	b = append(b, 0, 0, 4, 4, 0, 1, byte(precinct<<4|precinct))
	b = append(append(b, "\xff\x5c"...), be(4)...)
	b = append(b, 0x40, 8<<3)
	for i := range 8 {
		b = append(append(b, "\xff\x90"...), be(10, i, 0, 18)...)
		b = append(b, 0, 1, 0xff, 0x93, 0, 0, 0, 0)
	}
	return append(b, 0xff, 0xd9)
}

// TestHostileFiles decodes files of a few bytes that claim to be large. None allocates much memory, which
// also limits the work for it.
func TestHostileFiles(t *testing.T) {
	for name, data := range map[string][]byte{
		"jpeg":              hostileJPEG(11585, 11585, 1),
		"jpeg, scans":       hostileJPEG(200, 200, 4000),
		"png":               hostilePNG(11585, 11585),
		"gif":               hostileGIF(11585, 11585),
		"gif, all":          hostileGIF(65535, 65535),
		"bmp":               hostileBMP(11585, 11585, 8, bmpNone),
		"bmp, runs":         hostileBMP(11585, 11585, 8, bmpRLE8),
		"tiff":              hostileTIFF(0, tagWidth, 11585, tagHeight, 11585, tagStripOffsets, 0, tagStripCounts, 8, tagCompression, 5, tagPhotometric, 1),
		"tiff, wide blocks": hostileTIFF(0, tagWidth, 1, tagHeight, 1, tagTileWidth, 1<<26, tagTileHeight, 1, tagTileOffsets, 0, tagTileCounts, 8, tagCompression, 5, tagPhotometric, 1),
		"tiff, long tags":   hostileTIFF(4000, tagWidth, 1, tagHeight, 1),
		"webp":              hostileVP8(11585, 11585),
		"webp, lossless":    hostileVP8L(11585, 11585),
		"jp2":               hostileJP2(11585, 11585, 11585, 1, 15),
		"jp2, layers":       hostileJP2(64, 64, 8, 65535, 15),
		"jp2, precincts":    hostileJP2(512, 512, 512, 64, 1),
		"pnm":               []byte("P5 11585 11585 255 "),
		"pnm, bits":         []byte("P4 11585 11585 "),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decode(data)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("the file was decoded")
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("a file of %d bytes took %d MiB: %v", len(data), took>>20, err)
			}
		})
	}
}

// TestJPEGMemory: a JPEG takes the memory that [SetMaxPixels] names.
func TestJPEGMemory(t *testing.T) {
	const size = 1024
	one := [2]int{1, 1}
	for _, progressive := range []bool{false, true} {
		for n, perPixel := range map[int]int{1: 6, 3: 12, 4: 15} {
			f := flatJPEG{width: size, height: size, factors: [][2]int{one, one, one, one}[:n], progressive: progressive}
			data := f.encode()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decode(data)
			runtime.ReadMemStats(&after)
			if took, most := after.TotalAlloc-before.TotalAlloc, uint64(perPixel*size*size+1<<20); err != nil || took > most {
				t.Errorf("%d components, progressive %v: %d bytes, want at most %d (%v)", n, progressive, took, most, err)
			}
		}
	}
}

// TestMaxPixels: a run with an image that is larger than the limit fails, with an error that says what to do.
func TestMaxPixels(t *testing.T) {
	defer SetMaxPixels(0)
	data := []byte("P5 300 300 255 " + strings.Repeat("x", 300*300))
	size := make([]int64, 2)
	SetMaxPixels(300 * 300)
	if Measure(size, data); Height(size) != 300 {
		t.Errorf("an image as large as may be is %v", size)
	}
	SetMaxPixels(300*300 - 1)
	defer func() {
		err, _ := recover().(error)
		if e, ok := errors.AsType[*cpu.Error](err); !ok || !strings.Contains(e.Msg, "300×300 pixels, more than the limit of 89999") {
			t.Errorf("got %v", err)
		}
	}()
	Measure(size, data)
}
