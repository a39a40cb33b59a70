package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/digits"
)

// dataset is images, one byte a pixel, and the digits that they show.
type dataset struct {
	images, labels []byte
}

func render(seed uint64, n int) dataset {
	images, labels := digits.Render(seed, n)
	return dataset{images, labels}
}

// write writes two files in MNIST's format.
func (s dataset) write(prefix string) error {
	if err := os.MkdirAll(filepath.Dir(prefix), 0o777); err != nil {
		return err
	}
	n := len(s.labels)
	if err := writeIDX(prefix+"-images-idx3-ubyte", s.images, n, digits.Size, digits.Size); err != nil {
		return err
	}
	return writeIDX(prefix+"-labels-idx1-ubyte", s.labels, n)
}

func writeIDX(name string, data []byte, dims ...int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(digits.WriteIDX(f, data, dims...), f.Close())
}

// readMNIST reads the first n images of MNIST's test files.
func readMNIST(dir string, n int) (dataset, error) {
	images, dims, err := readIDX(filepath.Join(dir, "t10k-images-idx3-ubyte"))
	if err != nil {
		return dataset{}, err
	}
	labels, _, err := readIDX(filepath.Join(dir, "t10k-labels-idx1-ubyte"))
	if err != nil {
		return dataset{}, err
	}
	if len(dims) != 3 || dims[0] != len(labels) || dims[1] != digits.Size || dims[2] != digits.Size {
		return dataset{}, fmt.Errorf("%s: images have dimensions %d for %d labels, want %d", dir, dims, len(labels), []int{len(labels), digits.Size, digits.Size})
	}
	n = min(n, len(labels))
	if n == 0 {
		return dataset{}, fmt.Errorf("%s: no images", dir)
	}
	return dataset{images[:n*digits.Pixels], labels[:n]}, nil
}

// readIDX reads a file, or the compressed one of the same name that MNIST comes
// as.
func readIDX(name string) (data []byte, dims []int, err error) {
	f, err := os.Open(name)
	zipped := errors.Is(err, fs.ErrNotExist)
	if zipped {
		name += ".gz"
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r := io.Reader(f)
	if zipped {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if data, dims, err = digits.ReadIDX(r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, dims, nil
}
