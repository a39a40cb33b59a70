package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestRecord: the artifact lands in a folder that did not exist, and is a program.
func TestRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	out := filepath.Join(t.TempDir(), "new", "program.pb")
	if _, _, err := cmdtest.Run(t, Command(), "../vet/testdata/unread", "-o", out); err != nil {
		t.Fatal(err)
	}
	m, err := onnx.ReadFile(out)
	if err != nil || !artifact.IsProgram(m) {
		t.Errorf("got %v, %v, want a program", m, err)
	}
}

// TestRefuses shows command lines and packages that are refused.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	file := cmdtest.File(t, ".", "file", "")
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n\ngo 1.26\n")
	cmdtest.File(t, ".", "app.go", "package app\n")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one PACKAGE, the folder of a Go package: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{"."}, Want: "where to? give -o FILE", Usage: true},
		cmdtest.Refusal{Args: []string{file, "-o", "x.pb"}, Want: "file is not the folder of a Go package", Usage: true},
		cmdtest.Refusal{Args: []string{"empty", "-o", "x.pb"}, Want: "no Go files in"},
		cmdtest.Refusal{Args: []string{".", "-o", "x.pb"}, Want: ". does not import github.com/bbgen/bbgen/dsl: there is no program in it"},
	)
	if _, err := os.Stat("x.pb"); err == nil {
		t.Error("an artifact is written")
	}
}
