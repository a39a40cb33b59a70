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

// TestRenderDigits: a folder of digits is there when it is complete, and stays as it is if another process was faster.
func TestRenderDigits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bbgen", "digits")
	for _, n := range []int{3, 2} {
		if err := renderDigits(dir, n, 1); err != nil {
			t.Fatal(err)
		}
		if list, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(list) != 1 {
			t.Errorf("beside the digits there are %v, %v", list, err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "train-labels-idx1-ubyte"))
		if err != nil {
			t.Fatal(err)
		}
		if labels, err := dataset.DecodeIDX(b); err != nil || labels.Len() != 3 {
			t.Errorf("the labels are %v, %v, want those that were there first", labels, err)
		}
	}
}

// TestArrays: only tables become arrays, and those that cannot be read are errors with the file's name.
func TestArrays(t *testing.T) {
	t.Chdir(t.TempDir())
	broken := cmdtest.File(t, ".", "broken.parquet", "PAR1")
	csv := cmdtest.File(t, ".", "points.csv", "x,y\n1,2\n")
	for _, c := range []struct {
		name, format string
		want         string // of the error
	}{
		{csv, "", ""},
		{broken, "csv", ""}, // the trainer is asked to read it
		{broken, "", "broken.parquet: the file has 4 bytes"},
		{csv, "parquet", `points.csv: the file begins with "x,y\n1,2\n", want a Parquet file`},
		{"none.arrow", "arrow", "none.arrow"},
	} {
		flags := map[string]string{"format": c.format, "columns": "x,y"}
		dir, err := Arrays(c.name, t.TempDir(), func(name string) string { return flags[name] }, nil)
		if c.want == "" && (dir != "" || err != nil) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s as %q: got %q, %v, want %q", c.name, c.format, dir, err, c.want)
		}
	}
	for text, want := range map[string]int{"": 0, "a": 1, "a,b": 2} {
		if got := list(text); len(got) != want {
			t.Errorf("%q has the names %q", text, got)
		}
	}
}
