package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestFresh compares package whole with what is generated.
func TestFresh(t *testing.T) {
	files, err := generate("../network.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(filepath.Join("..", "whole", f.Path)); err != nil || !bytes.Equal(b, f.Bytes()) {
			t.Errorf("whole/%s is not what bbgen makes of the network: run go generate .. (%v)", f.Path, err)
		}
	}
}
