package drawn

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files are in the format of MNIST: two zeros, 8 for bytes, the number of axes, their lengths, and the elements.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, 300, 20); err != nil {
		t.Fatal(err)
	}
	read := func(name string, header ...byte) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.HasPrefix(b, header) {
			t.Fatalf("%s begins with %v, want %v: %v", name, b[:min(len(b), len(header))], header, err)
		}
		return b[len(header):]
	}
	train := read("train-images-idx3-ubyte", 0, 0, 8, 3, 0, 0, 1, 44, 0, 0, 0, 28, 0, 0, 0, 28)
	test := read("t10k-images-idx3-ubyte", 0, 0, 8, 3, 0, 0, 0, 20, 0, 0, 0, 28, 0, 0, 0, 28)
	labels := read("train-labels-idx1-ubyte", 0, 0, 8, 1, 0, 0, 1, 44)
	if len(train) != 300*28*28 || len(test) != 20*28*28 || len(labels) != 300 || len(read("t10k-labels-idx1-ubyte", 0, 0, 8, 1, 0, 0, 0, 20)) != 20 {
		t.Errorf("%d and %d bytes of images, %d labels", len(train), len(test), len(labels))
	}
	for digit := range byte(10) {
		if !bytes.Contains(labels, []byte{digit}) {
			t.Errorf("there is no %d", digit)
		}
	}
	if bytes.Contains(train, test[:28*28]) {
		t.Error("the first image for evaluation is also one for training")
	}
}

func TestNoFolder(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "none"), 1, 1); err == nil {
		t.Error("a missing folder is no error")
	}
}
