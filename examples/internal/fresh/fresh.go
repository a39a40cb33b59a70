// Package fresh compares the committed peers of an example with those that bbgen generates from its program.
package fresh

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Check fails if the folder peer of an example differs from the code that bbgen generates from p, the program in the
// folder program of the example, in which the test is. With BBGEN_UPDATE=1 it writes the folder instead. The program is recorded in this process: bbgen builds
// one of its own for that, which takes seconds.
func Check(t testing.TB, p dsl.Program) {
	t.Helper()
	artifact, err := dsl.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("program", artifact, nil)
	if err != nil {
		t.Fatal(err)
	}
	home, err := project.Find("../peer")
	if err != nil {
		t.Fatal(err)
	}
	hosts, _, err := home.Network("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: path.Dir(home.Import) + "/program", Import: home.Import, Hosts: hosts, Cut: &bbgen.Cut{Dir: filepath.Join(filepath.Dir(home.Dir), "program")}})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("BBGEN_UPDATE") == "1" {
		if err := project.Write(home, r.Files); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range r.Files {
		name := filepath.Join(home.Dir, filepath.FromSlash(f.Path))
		if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, f.Bytes()) {
			t.Errorf("%s is not what bbgen makes of the program: run go generate ./...", name)
		}
	}
}
