package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestFresh compares the package that the worker links with the generated one. With BBGEN_UPDATE=1 it writes
// it.
func TestFresh(t *testing.T) {
	artifact, err := dsl.Build(Program())
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("program", artifact, nil)
	if err != nil {
		t.Fatal(err)
	}
	const here = "github.com/bbgen/bbgen/internal/bench/collective"
	r, err := bbgen.Compile(m, bbgen.Config{Source: here + "/program", Import: here, Hosts: []string{"tcp"}, Cut: &bbgen.Cut{Dir: "."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		if !strings.Contains(f.Path, "/partition/") {
			continue // mains: the worker can also run without encryption
		}
		name := filepath.Join("..", filepath.FromSlash(f.Path))
		if os.Getenv("BBGEN_UPDATE") == "1" {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, f.Bytes()) {
			t.Errorf("%s is not what bbgen makes of the program: run BBGEN_UPDATE=1 go test ./internal/bench/collective/program", name)
		}
	}
}
