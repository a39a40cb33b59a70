package npz

import (
	"archive/zip"
	"bytes"
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestLimits reads archives of two arrays with each limit around their size, and with the ends of the range of limits: they are
// read if and only if they fit.
func TestLimits(t *testing.T) {
	const size = 128 + 4*3 // of an array in the archive, with its head
	want := tensor.Of([]float32{1, 2, 3}, 3)
	var stored bytes.Buffer
	if err := Write(&stored, map[string]*tensor.Tensor{"x": want, "y": want}); err != nil {
		t.Fatal(err)
	}
	npy := contentOf(t, stored.Bytes(), "x.npy")
	if len(npy) != size {
		t.Fatalf("an array has %d bytes, want %d", len(npy), size)
	}
	packed := archive(t, zip.Deflate, "x.npy", npy, "y.npy", npy)
	for name, b := range map[string][]byte{"stored": stored.Bytes(), "packed": packed} {
		for limit, fits := range map[int64]bool{
			math.MinInt64: false, -1: false, 0: false, size - 1: false, size: false, 2*size - 1: false,
			2 * size: true, 2*size + 1: true, math.MaxInt32: true, math.MaxInt64 - 1: true, math.MaxInt64: true,
		} {
			got, err := Decode(b, limit)
			if (err == nil) != fits {
				t.Errorf("%s, limit %d: %v", name, limit, err)
			}
			if fits && err == nil && (len(got) != 2 || !tensor.Equal(got["x"], want) || !tensor.Equal(got["y"], want)) {
				t.Errorf("%s, limit %d: got %v", name, limit, got)
			}
		}
	}
}

// contentOf returns the content of a file in an archive.
func contentOf(t *testing.T, b []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
