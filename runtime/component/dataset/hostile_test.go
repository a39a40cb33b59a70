package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
		{"an image of many pixels", files("a/x.png", hugePicture(1<<14, 10000)), images, "a/x.png: 16384 by 10000 pixels, want at most 104857600 in all"},
		{"an image of more pixels than 32 bits count", files("a/x.png", hugePicture(1<<20, 1<<20)), images, ""},
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

// An image that is broken, or has become too large since its folder was opened, is an error of its batch, with its name. The
// others can be read.
func TestBrokenImageInABatch(t *testing.T) {
	good := picture(2, 2, color.RGBA{255, 0, 0, 255})
	fsys := files("a/1.png", good, "a/2.png", good[:40], "b/3.png", good)
	set, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Float32})
	if err != nil {
		t.Fatal(err)
	}
	fsys["b/3.png"] = &fstest.MapFile{Data: hugePicture(1<<14, 10000)}
	s := set.Train
	x, y := s.Features().Tensor(1), s.Labels().Tensor(1)
	if err := s.Batch([]int{0}, x, y); err != nil || tensor.Data[float32](x)[0] != 1 || tensor.Data[float32](y)[0] != 0 {
		t.Errorf("%v: %v %v, want 1 and class 0", err, x.Data, y.Data)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i, want := range []string{"", "a/2.png: ", "b/3.png: 16384 by 10000 pixels, want at most 104857600 in all"} {
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

// Files that are no images are named when their folder is opened, the first of them.
func TestNoImages(t *testing.T) {
	fsys := files("a/1.png", picture(2, 2, color.RGBA{255, 0, 0, 255}), "a/2.png", "", "a/3.webp", "RIFF", "b/4.jpg", "text", "b/notes.txt", "text",
		"b/5.png", hugePicture(1<<14, 10000), "b/7.jpeg", "", "b/8.png", "")
	fsys["b/6.png"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	const want = "a/2.png: it is empty: replace or remove it; a/3.webp: want PNG or JPEG: convert or remove it; b/4.jpg: it begins as neither PNG nor JPEG do: replace or remove it; " +
		"b/5.png: 16384 by 10000 pixels, want at most 104857600 in all; b/6.png: it is no file: remove it; and 2 more"
	if _, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Float32}); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestLinkedClasses: the folder of a class may be a link, and a link to a folder around it is no endless walk. What a link
// to an image has lost is named.
func TestLinkedClasses(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	image := picture(2, 2, color.RGBA{255, 0, 0, 255})
	for _, file := range []string{filepath.Join(dir, "a", "1.png"), filepath.Join(away, "2.png")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, image, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(away, filepath.Join(dir, "b")), os.Symlink(dir, filepath.Join(dir, "a", "loop"))); err != nil {
		return // not for every user of Windows
	}
	opt := Options{X: tensor.Float32, Y: tensor.Float32}
	set, err := Open(os.DirFS(dir), ".", opt)
	if err != nil || set.Train.Len() != 2 || !slices.Equal(set.Names, []string{"a", "b"}) {
		t.Errorf("got %+v, %v", set, err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "a", "3.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(os.DirFS(dir), ".", opt); err == nil || !strings.HasPrefix(err.Error(), "a/3.png: ") {
		t.Errorf("a link to nothing: %v", err)
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
