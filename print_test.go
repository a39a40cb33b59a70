package bbgen

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/partitioner"
)

// TestLinked: all weights that a program embeds count, and nothing else.
func TestLinked(t *testing.T) {
	file := func(name string, n int) codegen.File { return codegen.NewFile(name, make([]byte, n)) }
	for _, c := range []struct {
		program bool
		files   []codegen.File
		want    string
	}{
		{false, nil, ""},
		{false, []codegen.File{file("weights.bin", 3000000), file("model.bb.go", 5000000)}, ""},
		{false, []codegen.File{file("weights.bin", 3000001)}, "m.onnx: 3 MB of weights are in one program, want at most 3 MB"},
		{false, []codegen.File{file("stage0/weights.bin", 2000000), file("stage1/weights.bin", 2000000)}, "m.onnx: 4 MB of weights"},
		{true, []codegen.File{file("a/partition/weights.bin", 2000000), file("b/partition/weights.bin", 2000000)}, ""},
		{true, []codegen.File{file("a/partition/weights.bin", 2000000), file("a/partition/net/weights.bin", 2000000)}, "a: 4 MB of weights"},
	} {
		w := &compilation{Config: Config{Source: "m.onnx"}, Result: &Result{Files: c.files}}
		if c.program {
			w.Program = new(partitioner.Program)
		}
		err := w.checkLinked(3000000)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
