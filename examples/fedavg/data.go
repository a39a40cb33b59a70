package main

import (
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// How many rendered digits there are to learn from, and to judge by.
const (
	trainDigits = 8000
	testDigits  = 1000
)

// render writes digits to dir, in MNIST's format and under its names.
func render(dir string) error {
	for _, part := range []struct {
		prefix string
		seed   uint64
		n      int
	}{{"train", 1, trainDigits}, {"t10k", 2, testDigits}} {
		images, labels := digits.Render(part.seed, part.n)
		if err := writeIDX(filepath.Join(dir, part.prefix+"-images-idx3-ubyte"), tensor.Of(images, part.n, digits.Size, digits.Size)); err != nil {
			return err
		}
		if err := writeIDX(filepath.Join(dir, part.prefix+"-labels-idx1-ubyte"), tensor.Of(labels, part.n)); err != nil {
			return err
		}
	}
	return nil
}

func writeIDX(name string, t *tensor.Tensor) error {
	b, err := dataset.AppendIDX(nil, t)
	if err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}
