package test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestSpill gives programs more weights than a binary may hold: the first programs have theirs in it, the
// others in files.
func TestSpill(t *testing.T) {
	m, err := ir.Parse("add.ir", `module "add"
opset 21

func @main(%x: float32[4]) -> (%y) {
  const %w: float32[4] = [1, 2, 3, 4]
  %y = Add(%x, %w) : float32[4]
}
`)
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(model, b, 0o666); err != nil {
		t.Fatal(err)
	}
	programs := []*program{{model: model}, {model: model}, {model: model}}
	compile(programs, nil)
	one := programs[0].weights()
	spill(programs, 2*one, nil)
	for i, want := range []bool{true, true, false} {
		pr := programs[i]
		if pr.err != nil || len(pr.outputs) != 1 || pr.weights() != one || one == 0 {
			t.Fatalf("program %d: %v, %d outputs, %d bytes of weights", i, pr.err, len(pr.outputs), pr.weights())
		}
		if got := embeds(pr); got != want {
			t.Errorf("program %d embeds its weights: %v, want %v", i, got, want)
		}
	}
}

func embeds(pr *program) bool {
	for _, f := range pr.files {
		if bytes.Contains(f.Bytes(), []byte("//go:embed weights.bin")) {
			return true
		}
	}
	return false
}
