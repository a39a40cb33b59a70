package data

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/component/dataset"
)

// TestFind: digits are those of the user's cache if they were rendered before, and other names are paths.
func TestFind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder of the cache is named by XDG_CACHE_HOME on Linux")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	digits := filepath.Join(cache, "bbgen", "digits-20000-5000")
	if err := os.MkdirAll(digits, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"digits": digits, "digits/": "digits/", "points.csv": "points.csv"} {
		if got, err := Find(name); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	t.Setenv("XDG_CACHE_HOME", cmdtest.File(t, cache, "file", ""))
	if _, err := Find("digits"); err == nil {
		t.Error("a file is taken for the cache")
	}
}

// TestWriteDigits: the files are read as MNIST's are, with as many images as labels, and the seed decides the digits.
func TestWriteDigits(t *testing.T) {
	dir := t.TempDir()
	for _, seed := range []uint64{1, 2} {
		for _, prefix := range []string{"train", "t10k"} {
			if err := writeDigits(dir, prefix+string(rune('0'+seed)), seed, 3); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	images, err := dataset.DecodeIDX(read("train1-images-idx3-ubyte"))
	if err != nil || len(images.Shape) != 3 || images.Shape[0] != 3 {
		t.Errorf("the images are %v, %v", images, err)
	}
	labels, err := dataset.DecodeIDX(read("train1-labels-idx1-ubyte"))
	if err != nil || labels.Len() != 3 {
		t.Errorf("the labels are %v, %v", labels, err)
	}
	same := string(read("train1-images-idx3-ubyte")) == string(read("t10k1-images-idx3-ubyte"))
	other := string(read("train1-images-idx3-ubyte")) == string(read("train2-images-idx3-ubyte"))
	if !same || other {
		t.Errorf("one seed gives the same digits: %v, another seed the same: %v", same, other)
	}
	if err := writeDigits(filepath.Join(dir, "none"), "train", 1, 1); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that there is not: %v", err)
	}
}
