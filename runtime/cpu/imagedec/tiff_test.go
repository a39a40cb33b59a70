package imagedec

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"testing"
)

// TestTIFF writes images in all combinations of depth, meaning, compression and layout.
func TestTIFF(t *testing.T) {
	for _, bits := range []int{1, 2, 4, 8, 16} {
		for _, meaning := range [][2]int{{0, 1}, {1, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 1}, {2, 7}} { // photometric, samples
			if meaning[0] == 3 && bits == 16 {
				continue
			}
			for _, compression := range []int{1, 5, 8, 32946, 32773} {
				for k, layout := range []tiffFile{{}, {rows: 4}, {tileWidth: 16, tileHeight: 16}, {tileWidth: 32, tileHeight: 16}} {
					if k > 0 && compression == 32946 {
						continue // an old number of another one
					}
					f := layout
					f.width, f.height, f.bits, f.photometric, f.samples = 19, 18, bits, meaning[0], meaning[1]
					f.compression, f.big, f.planar = compression, (bits+compression+k)%2 == 0, k%2 == 1 && meaning[1] > 1
					f.predictor = bits >= 8 && compression != 1 && k > 0
					f.reversed = k == 1
					f.palette = nil
					if f.photometric == 3 {
						for _, c := range noise(bits, 3<<bits, 1<<16) {
							f.palette = append(f.palette, uint16(c))
						}
					}
					v := noise(k, f.width*f.height*f.samples, 1<<bits)
					mustBe(t, fmt.Sprintf("%+v", f), f.encode(v), f.width, f.height, f.colors(v), 0)
				}
			}
		}
	}
}

// TestTIFFLongStrings compresses data whose table of strings is cleared several times, and data with
// strings that are used as soon as they exist.
func TestTIFFLongStrings(t *testing.T) {
	for _, top := range []int{1, 2, 5, 256} {
		f := tiffFile{width: 150, height: 120, bits: 8, samples: 1, photometric: 1, compression: 5}
		v := noise(top, f.width*f.height, top)
		mustBe(t, fmt.Sprintf("%d values", top), f.encode(v), f.width, f.height, f.colors(v), 0)
		if _, err := unLZW(tiffLZW(bytesOf(v))[:40], len(v)); err != errFormat {
			t.Errorf("%d values that end early: %v", top, err)
		}
	}
	var other bytes.Buffer // GIF's variant, with the lowest bit first, is none of TIFF's
	w := lzw.NewWriter(&other, lzw.LSB, 8)
	w.Write(bytesOf(noise(1, 100, 256)))
	w.Close()
	if got, err := unLZW(other.Bytes(), 100); err == nil {
		t.Errorf("codes with the lowest bit first are %v", got)
	}
}
