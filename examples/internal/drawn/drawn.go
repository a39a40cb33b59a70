// Package drawn renders digits for examples.
package drawn

import (
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Write writes digits to dir, in MNIST's format and with its file names: train images for training, and test
// images for evaluation.
func Write(dir string, train, test int) error {
	for _, part := range []struct {
		prefix string
		seed   uint64
		n      int
	}{{"train", 1, train}, {"t10k", 2, test}} {
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
