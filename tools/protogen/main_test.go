package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFresh reports bindings that differ from their .proto file.
func TestFresh(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Chdir("..")
	const top = ".."
	out, err := generate(top, []string{"ir/onnx/onnxpb/onnx.proto"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out {
		name := filepath.Join(top, f.GetName())
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != f.GetContent() {
			t.Errorf("%s is stale: run go generate in ir/onnx/onnxpb", name)
		}
	}
}
