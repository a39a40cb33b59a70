package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// TestNoProgram: a model that cannot be loaded fails its own job only; a job whose error cannot be written ends the
// process, as its caller waits for one of the two files.
func TestNoProgram(t *testing.T) {
	broken := func() model.Program {
		return model.Program{New: func() (model.Session, error) { return nil, errors.New("no weights") }}
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := serve([]func() model.Program{broken}, strings.NewReader("0\tin\t"+out), &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(out, ErrorFile)); err != nil || string(b) != "no weights\n" {
		t.Errorf("it left %q, %v", b, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := serve([]func() model.Program{broken}, strings.NewReader("0\tin\t"+file), &strings.Builder{}); err == nil {
		t.Error("a job whose folder is a file has no error")
	}
}
