// Package data finds the data named on a command line: a file or folder, or digits, which are rendered. Tables in
// Parquet and Arrow files become arrays, since trainers do not link what reads them.
package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/columnar"
	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The rendered digits: seeds and numbers of those for training and for evaluation.
const (
	trainSeed, trainDigits = 1, 20000
	testSeed, testDigits   = 2, 5000
)

// Find returns the path of the named data. For digits, that is a folder of rendered ones; other names are
// paths.
func Find(name string) (string, error) {
	if name == "digits" {
		return digitsFolder()
	}
	return name, nil
}

// TableFlags are the flags of a trainer that [Arrays] applies, and that say nothing of arrays.
var TableFlags = []string{"format", "label", "columns", "categories", "missing"}

// tableFormats are the values of --format for tables.
var tableFormats = []string{"parquet", "arrow"}

// IsTable reports whether a value of --format is that of a table, which [Arrays] reads and the trainer does not.
func IsTable(format string) bool { return slices.Contains(tableFormats, format) }

// Arrays writes data that are tables as arrays into a folder below tmp, and returns its name; "" if the data are none.
// flag returns the value of one of [TableFlags], and learned are the features of a trained model, if the data are for one.
func Arrays(name, tmp string, flag func(string) string, learned []string) (string, error) {
	format := flag("format")
	asked := IsTable(format)
	if !asked && (format != "" || !columnar.Has(name)) {
		return "", nil
	}
	dir := filepath.Join(tmp, "arrays")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	opt := dataset.Options{Label: flag("label"), Missing: flag("missing"), Columns: list(flag("columns")), Categories: list(flag("categories")), Learned: learned}
	return dir, columnar.Convert(name, dir, opt)
}

// list parses names separated by commas; nil if there are none.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// digitsFolder returns a folder in the user's cache with rendered digits in MNIST's format. They are rendered
// on first use.
func digitsFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "bbgen", fmt.Sprintf("digits-%d-%d", trainDigits, testDigits))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	return dir, renderDigits(dir, trainDigits, testDigits)
}

// renderDigits makes a folder with so many digits for training and for evaluation. It appears when it is complete, so that
// other processes never read a part of it.
func renderDigits(dir string, train, test int) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("digits are drawn once and kept in the cache: %w; set XDG_CACHE_HOME to a folder that can be written", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".digits-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := errors.Join(writeDigits(tmp, "train", trainSeed, train), writeDigits(tmp, "t10k", testSeed, test)); err != nil {
		return err
	}
	err = os.Rename(tmp, dir)
	if _, there := os.Stat(dir); there == nil {
		err = nil // another process was faster
	}
	return err
}

func writeDigits(dir, prefix string, seed uint64, n int) error {
	images, labels := digits.Render(seed, n)
	err := writeIDX(filepath.Join(dir, prefix+"-images-idx3-ubyte"), tensor.Of(images, n, digits.Size, digits.Size))
	return errors.Join(err, writeIDX(filepath.Join(dir, prefix+"-labels-idx1-ubyte"), tensor.Of(labels, n)))
}

func writeIDX(name string, t *tensor.Tensor) error {
	b, err := dataset.AppendIDX(nil, t)
	if err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}
