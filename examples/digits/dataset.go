package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// samples holds images, one byte for each pixel, and the digits that they show.
type samples struct {
	images, labels []byte
}

func render(seed uint64, n int) samples {
	images, labels := digits.Render(seed, n)
	return samples{images, labels}
}

// write writes two files in MNIST's format.
func (s samples) write(prefix string) error {
	if err := os.MkdirAll(filepath.Dir(prefix), 0o777); err != nil {
		return err
	}
	n := len(s.labels)
	if err := writeIDX(prefix+"-images-idx3-ubyte", tensor.Of(s.images, n, digits.Size, digits.Size)); err != nil {
		return err
	}
	return writeIDX(prefix+"-labels-idx1-ubyte", tensor.Of(s.labels, n))
}

func writeIDX(name string, t *tensor.Tensor) error {
	b, err := dataset.AppendIDX(nil, t)
	if err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

// readMNIST reads the first n images of MNIST's test files.
func readMNIST(dir string, n int) (samples, error) {
	images, err := dataset.ReadIDX(os.DirFS(dir), "t10k-images-idx3-ubyte")
	if err != nil {
		return samples{}, fmt.Errorf("%s: %w", dir, err)
	}
	labels, err := dataset.ReadIDX(os.DirFS(dir), "t10k-labels-idx1-ubyte")
	if err != nil {
		return samples{}, fmt.Errorf("%s: %w", dir, err)
	}
	if images.DType != tensor.Uint8 || labels.DType != tensor.Uint8 {
		return samples{}, fmt.Errorf("%s: images are %v, labels %v, want bytes", dir, images, labels)
	}
	if want := []int{labels.Len(), digits.Size, digits.Size}; !slices.Equal(images.Shape, want) {
		return samples{}, fmt.Errorf("%s: images have dimensions %d for %d labels, want %d", dir, images.Shape, labels.Len(), want)
	}
	n = min(n, labels.Len())
	if n == 0 {
		return samples{}, fmt.Errorf("%s: no images", dir)
	}
	return samples{tensor.Data[byte](images)[:n*digits.Pixels], tensor.Data[byte](labels)[:n]}, nil
}
