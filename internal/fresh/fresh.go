// Package fresh compares committed peers with those that bbgen generates from their program, for tests.
package fresh

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Peers are the committed peers of a program.
type Peers struct {
	Dir      string // their folder, relative to that of the program, in which the test is
	Warnings int    // how many the program has, as of edges that bring contributions of any size
	OwnMains bool   // their mains are hand-written: only the packages beside those are generated
}

// Check fails if the peers differ from the code that bbgen generates from p, or if there are other warnings. With
// BBGEN_UPDATE=1 it writes the peers instead. The program is recorded in this process: bbgen builds one of its own
// for that, which takes seconds.
func (want Peers) Check(t testing.TB, p dsl.Program) {
	t.Helper()
	home, err := project.Find(want.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r := compile(t, p, home)
	if len(r.Warnings) != want.Warnings {
		t.Errorf("%d warnings, want %d: %s", len(r.Warnings), want.Warnings, strings.Join(r.Warnings, "\n"))
	}
	files := r.Files
	if want.OwnMains {
		files = slices.DeleteFunc(files, isMain)
	}
	if os.Getenv("BBGEN_UPDATE") == "1" {
		if err := project.Write(home, files); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range files {
		name := filepath.Join(home.Dir, filepath.FromSlash(f.Path))
		if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, f.Bytes()) {
			t.Errorf("%s is not what bbgen makes of the program: BBGEN_UPDATE=1 go test writes it", name)
		}
	}
}

// compile compiles p, which is in the folder of the test, for peers in a folder of the same module.
func compile(t testing.TB, p dsl.Program, home project.Home) *bbgen.Result {
	t.Helper()
	artifact, err := dsl.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("program", artifact, nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := project.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	hosts, _, err := home.Network("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: here.Import, Import: home.Import, Hosts: hosts, Cut: &bbgen.Cut{Dir: here.Dir}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// isMain reports whether a file is outside of the package beside a main.
func isMain(f codegen.File) bool { return !strings.Contains(f.Path, "/partition/") }
