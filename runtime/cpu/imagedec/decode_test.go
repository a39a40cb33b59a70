package imagedec

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// For each file there is a PNG with the result of the library of its format.
func TestDecode(t *testing.T) {
	for _, file := range files(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := decode(read(t, file+".png"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			if got.width != want.width || got.height != want.height {
				t.Fatalf("got %d×%d, want %d×%d", got.width, got.height, want.width, want.height)
			}
			for i, v := range got.rgb {
				if v != want.rgb[i] {
					t.Fatalf("byte %d is %d, want %d", i, v, want.rgb[i])
				}
			}
		})
	}
}

func files(t testing.TB) []string {
	all, err := filepath.Glob("testdata/*.*")
	if err != nil || len(all) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var out []string
	for _, f := range all {
		if !strings.HasSuffix(f, ".png") {
			out = append(out, f)
		}
	}
	return out
}

func read(t testing.TB, file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFormats decodes an image into each pixel format.
func TestFormats(t *testing.T) {
	data := []byte("P3 2 1 # two pixels\n10\n10 0 5  0 10 0\n")
	for _, c := range []struct {
		format string
		want   []uint8
	}{
		{"RGB", []uint8{255, 0, 128, 0, 255, 0}},
		{"BGR", []uint8{128, 0, 255, 0, 255, 0}},
		{"Grayscale", []uint8{91, 150}},
	} {
		size := make([]int64, 2)
		Measure(size, data)
		if Height(size) != 1 || Width(size) != 2 {
			t.Fatalf("got %v", size)
		}
		got := make([]uint8, len(c.want))
		Decode(got, data, c.format)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.format, got, c.want)
		}
	}
}

// TestNoImage checks that data without an image are measured as empty.
func TestNoImage(t *testing.T) {
	for _, data := range []string{"", "GIF89a", "BM", "P6 2 2 255 x", "P5 100000 100000 255 ", "RIFF    WEBPVP8 ", "\xff\xd8", "\xff\x4f\xff\x51"} {
		size := []int64{7, 7}
		Measure(size, []byte(data))
		if size[0] != 0 || size[1] != 0 {
			t.Errorf("%q is %v", data, size)
		}
	}
}

// A damaged file is either decoded or not, without a panic.
func FuzzDecode(f *testing.F) {
	for _, file := range files(f) {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := decode(data); err == nil && len(p.rgb) != 3*p.width*p.height {
			t.Errorf("%d×%d pixels have %d bytes", p.width, p.height, len(p.rgb))
		}
	})
}
