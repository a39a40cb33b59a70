package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestRun trains for one epoch, and compiles the resulting file.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds bbgen and trains")
	}
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "reader.onnx")
	if err := run(t.Context(), &out, 1, file); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	if r.Accuracy < 0.985 || r.Examples != 5000 || r.Parameters != 10338 {
		t.Errorf("got %+v, want an accuracy of 0.985 on 5000 digits, by 10338 parameters", r)
	}
	m, err := onnx.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bbgen.Compile(m, bbgen.Config{Source: "reader.onnx"}); err != nil {
		t.Error(err)
	}
}
