package program

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"

	"github.com/bbgen/bbgen/generated_test/program/choosing"
	"github.com/bbgen/bbgen/generated_test/program/counting"
	"github.com/bbgen/bbgen/generated_test/program/drifting"
	"github.com/bbgen/bbgen/generated_test/program/everything"
	"github.com/bbgen/bbgen/generated_test/program/federation"
	"github.com/bbgen/bbgen/generated_test/program/finding"
	"github.com/bbgen/bbgen/generated_test/program/gossip"
	"github.com/bbgen/bbgen/generated_test/program/halves"
	"github.com/bbgen/bbgen/generated_test/program/hidden"
	"github.com/bbgen/bbgen/generated_test/program/own"
	"github.com/bbgen/bbgen/generated_test/program/post"
	"github.com/bbgen/bbgen/generated_test/program/ready"
	"github.com/bbgen/bbgen/generated_test/program/roles"
	"github.com/bbgen/bbgen/generated_test/program/strategies"
	"github.com/bbgen/bbgen/generated_test/program/together"
	"github.com/bbgen/bbgen/generated_test/program/walking"
	"github.com/bbgen/bbgen/generated_test/program/wide"
)

// programs are the programs below this folder.
var programs = map[string]func() dsl.Program{
	"choosing":   choosing.Program,
	"counting":   counting.Program,
	"drifting":   drifting.Program,
	"everything": everything.Program,
	"federation": federation.Program,
	"finding":    finding.Program,
	"gossip":     gossip.Program,
	"halves":     halves.Program,
	"hidden":     hidden.Program,
	"own":        own.Program,
	"post":       post.Program,
	"ready":      ready.Program,
	"roles":      roles.Program,
	"strategies": strategies.Program,
	"together":   together.Program,
	"walking":    walking.Program,
	"wide":       wide.Program,
}

// unshaped is how many edges of a program bring contributions of any size.
var unshaped = map[string]int{"choosing": 1, "hidden": 2, "strategies": 8}

// TestFresh compares generated programs with the committed ones. With BBGEN_UPDATE=1 it writes them. It calls the
// functions that bbgen would call in a program of its own, which takes seconds to build.
func TestFresh(t *testing.T) {
	for name, program := range programs {
		t.Run(name, func(t *testing.T) { fresh(t, name, program()) })
	}
}

func fresh(t *testing.T, name string, p dsl.Program) {
	b, err := dsl.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode(name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	home, err := project.Find(filepath.Join(name, "peer"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: path.Dir(home.Import), Import: home.Import, Hosts: []string{"tcp"}, Cut: &bbgen.Cut{Dir: filepath.Dir(home.Dir)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != unshaped[name] {
		t.Errorf("%d warnings, want %d: %s", len(r.Warnings), unshaped[name], strings.Join(r.Warnings, "\n"))
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
			t.Errorf("%s is not what bbgen makes of the program: run BBGEN_UPDATE=1 go test ./generated_test/program", name)
		}
	}
}
