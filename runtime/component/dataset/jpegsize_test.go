package dataset

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The markers of frames.
const baseline, progressive = 0xc0, 0xc2

// hugeJPEG is the begin of a JPEG, up to that of its first scan. Factors are those of the components, in both directions.
func hugeJPEG(marker byte, width, height int, factors ...byte) []byte {
	be := binary.BigEndian.AppendUint16
	b := append([]byte("\xff\xd8\xff\xe1\x00\x04\xff\xc2\x00\xff"), "\xff\xc4\x00\x14\x00\x01"+strings.Repeat("\x00", 15)+"\x00"...)
	b = append(b, "\xff\xdb\x00\x43\x00"+strings.Repeat("\x01", 64)...)
	b = append(be(append(b, 0xff, marker), uint16(8+3*len(factors))), 8)
	b = append(be(be(b, uint16(height)), uint16(width)), byte(len(factors)))
	for i, f := range factors {
		b = append(b, byte(i+1), f, 0)
	}
	b = append(be(append(b, 0xff, 0xda), uint16(6+2*len(factors))), byte(len(factors)))
	for i := range factors {
		b = append(b, byte(i+1), 0)
	}
	return append(b, 0, 0, 0)
}

// TestCoefficients: a progressive JPEG is refused if its coefficients would take too much memory, and any JPEG if its file is too short
// for its pixels.
func TestCoefficients(t *testing.T) {
	const large = 10 << 20
	for _, c := range []struct {
		marker        byte
		width, height int
		factors       []byte
		size          int64
		want          string
	}{
		{progressive, 10000, 10000, []byte{0x11, 0x11, 0x11}, large, "1144 MiB of coefficients in a progressive JPEG, want at most 400: convert it to a baseline JPEG, or make it smaller"},
		{progressive, 10000, 10000, []byte{0x22, 0x11, 0x11}, large, "572 MiB of coefficients in a progressive JPEG, want at most 400: convert it to a baseline JPEG, or make it smaller"},
		{progressive, 8000, 8000, []byte{0x22, 0x11, 0x11}, large, ""},
		{progressive, 10240, 10240, []byte{0x11}, large, ""},
		{progressive, 10240, 10240, []byte{0x44}, large, ""}, // the factors of a single component do not count
		{progressive, 10241, 10240, []byte{0x11}, large, "400 MiB of coefficients in a progressive JPEG, want at most 400: convert it to a baseline JPEG, or make it smaller"},
		{progressive, 6000, 6000, []byte{0x11, 0x11, 0x11, 0x11}, large, "549 MiB of coefficients in a progressive JPEG, want at most 400: convert it to a baseline JPEG, or make it smaller"},
		{baseline, 10000, 10000, []byte{0x11, 0x11, 0x11}, large, ""},
		{baseline, 10000, 10000, []byte{0x11, 0x11, 0x11}, 500 << 10, "512000 bytes are too few for its pixels: replace or remove it"},
		{baseline, 10000, 10000, []byte{0x21, 0x11, 0x11}, 500 << 10, ""},
		{progressive, 3000, 3000, []byte{0x11, 0x11, 0x11}, 100, "100 bytes are too few for its pixels: replace or remove it"},
		{progressive, 1000, 1000, []byte{0x11, 0x11, 0x11}, 100, ""},
		{progressive, 10000, 10000, []byte{0x01, 0x10}, large, ""}, // no image
		{0xc9, 10000, 10000, []byte{0x11}, 100, ""},                // which the decoder refuses
	} {
		b := hugeJPEG(c.marker, c.width, c.height, c.factors...)
		if err := checkJPEG(b, c.size); fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%d by %d pixels with factors %x in %d bytes: %v, want %s", c.width, c.height, c.factors, c.size, err, c.want)
		}
		for n := range b {
			if f := frameOf(b[:n]); f.blocks != 0 && f != frameOf(b) {
				t.Errorf("the first %d bytes say %+v, all %+v", n, f, frameOf(b))
			}
		}
	}
}

// TestSmallJPEG: a small file that claims a large image takes little memory, and is named when its folder is opened.
func TestSmallJPEG(t *testing.T) {
	for _, marker := range []byte{baseline, progressive} {
		b := hugeJPEG(marker, 10000, 10000, 0x11, 0x11, 0x11)
		fsys := files("a/x.jpg", b)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Int64})
		_, again := decodeImage(fsys, "a/x.jpg")
		runtime.ReadMemStats(&after)
		if want := fmt.Sprintf("a/x.jpg: %d bytes are too few for its pixels: replace or remove it", len(b)); fmt.Sprint(err) != want || fmt.Sprint(again) != want {
			t.Errorf("%v, and later %v, want %s", err, again, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%d MiB for a file of %d bytes", took>>20, len(b))
		}
	}
}

// TestOtherPrograms reads the sizes of files that other programs have written.
func TestOtherPrograms(t *testing.T) {
	const folder = "../../cpu/imagedec/testdata/"
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".jpg") {
			continue
		}
		b, err := os.ReadFile(folder + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		f := frameOf(b)
		if f.progressive != strings.Contains(e.Name(), "progressive") || f.blocks == 0 {
			t.Errorf("%s: %+v", e.Name(), f)
		}
		if err := checkJPEG(b, int64(len(b))); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
		}
		n++
	}
	if n < 3 {
		t.Errorf("there are only %d files", n)
	}
}
