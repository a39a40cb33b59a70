package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// hugePicture is the header of a PNG that has no pixels.
func hugePicture(width, height uint32) []byte {
	head := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height), 8, 2, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

// TestOpenBadFolders: folders whose parts do not belong together, and images that cannot be read or would not fit into memory.
func TestOpenBadFolders(t *testing.T) {
	red := color.RGBA{255, 0, 0, 255}
	good := picture(2, 2, red)
	images := Options{X: tensor.Float32, Y: tensor.Int64}
	for _, c := range []struct {
		name string
		fsys fs.FS
		opt  Options
		want string
	}{
		{"images as numbers", files("a/x.png", good), Options{X: tensor.Int64, Y: tensor.Int64}, "images are float32, the model's input is int64"},
		{"images of two channels", files("a/x.png", good), Options{X: tensor.Float32, Y: tensor.Int64, Shape: []int{2, 4, 4}}, "the model's input has 2 channels, want 1 (gray) or 3 (red, green, blue)"},
		{"other classes for validation", files("train/a/x.png", good, "val/b/x.png", good), images, `classes in train are ["a"], in val ["b"]`},
		{"a broken image", files("train/a/x.png", good[:30]), images, "train/a/x.png: unexpected EOF"},
		{"an image of many pixels", files("a/x.png", hugePicture(1<<20, 1<<20)), images, "a/x.png: 1048576 by 1048576 pixels, want at most 104857600 in all"},
		{"no image after all", files("a/x.png", good, "train/notes.txt", "none"), images, ""},
		{"two archives", files("a.npz", "", "b.npz", ""), images, "a.npz and b.npz: want one file, or say which"},
		{"an archive that is none", files("a.npz", "PK"), images, ""},
		{"a compressed file that is none", files("train-images.idx.gz", "this file is not compressed"), images, "train-images.idx.gz: gzip: invalid header"},
		{"one that ends early", files("train-images.idx.gz", zipped([]byte("\x00\x00\x08\x01"))[:20]), images, "train-images.idx.gz: unexpected EOF"},
		{"images without labels for them", files("train-images.idx", "\x00\x00\x08\x01\x00\x00\x00\x01a", "train-labels.idx", "\x00\x00\x08\x01\x00\x00\x00\x02ab"), images, "train-images.idx, train-labels.idx: features of 1 examples, labels of 2"},
		{"a broken array", files("x.npy", "none", "y.npy", npy(t, tensor.New(tensor.Int64, 1))), images, ""},
		{"an empty folder of tables", files("train.csv", "a,b\n"), images, ".: no examples"},
	} {
		if _, err := Open(c.fsys, ".", c.opt); err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// An image that is broken, or has become too large, is an error of its batch, with its name. The others can be read.
func TestBrokenImageInABatch(t *testing.T) {
	good := picture(2, 2, color.RGBA{255, 0, 0, 255})
	set, err := Open(files("a/1.png", good, "a/2.png", good[:40], "b/3.png", hugePicture(1<<16, 1<<16)), ".", Options{X: tensor.Float32, Y: tensor.Float32})
	if err != nil {
		t.Fatal(err)
	}
	s := set.Train
	x, y := s.Features().Tensor(1), s.Labels().Tensor(1)
	if err := s.Batch([]int{0}, x, y); err != nil || tensor.Data[float32](x)[0] != 1 || tensor.Data[float32](y)[0] != 0 {
		t.Errorf("%v: %v %v, want 1 and class 0", err, x.Data, y.Data)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i, want := range []string{"", "a/2.png: ", "b/3.png: 65536 by 65536 pixels, want at most 104857600 in all"} {
		err := s.Batch([]int{i}, x, y)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("image %d: %v, want %s", i, err, want)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("%d MiB for images that are not decoded", took>>20)
	}
	if err := s.Batch([]int{3}, x, y); err == nil {
		t.Error("image 3 of 3 is read")
	}
}

// A compressed file that expands to more than the limit is refused when the limit is reached.
func TestBomb(t *testing.T) {
	fsys := files("bomb.gz", zipped(bytes.Repeat([]byte{0}, 1<<20)))
	if b, err := readMaybeZipped(fsys, "bomb", 1<<20); err != nil || len(b) != 1<<20 {
		t.Errorf("%d bytes (%v), want all that may be", len(b), err)
	}
	if _, err := readMaybeZipped(fsys, "bomb", 1<<20-1); err == nil || err.Error() != "bomb.gz: holds more than 1048575 bytes" {
		t.Errorf("%v, want that it holds more", err)
	}
	if _, err := readMaybeZipped(fsys, "other", 1); err == nil || err.Error() != "open other: file does not exist" {
		t.Errorf("%v, want the name that was asked for", err)
	}
}
