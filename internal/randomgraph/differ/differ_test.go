package differ

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// smaller is the number of smaller models that a test tries for each failure.
const smaller = 100

// TestRandomModels always checks the same models, some of them also as code. To check more: go run
// ./internal/randomgraph/fuzz -count 100000.
func TestRandomModels(t *testing.T) {
	evaluated, compiled := uint64(1000), uint64(100)
	if testing.Short() {
		evaluated, compiled = 200, 0
	}
	search(t, &Search{Models: evaluated, Jobs: 2, Batch: 50, Smaller: smaller})
	if compiled == 0 {
		return
	}
	tools, err := NewToolchain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	search(t, &Search{First: evaluated, Models: compiled, Jobs: 2, Batch: 50, Smaller: smaller, Toolchain: tools})
}

func search(t *testing.T, s *Search) {
	t.Helper()
	tally, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tally.Failures {
		dir := os.TempDir()
		name, err := Save(dir, f)
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("%v\nthe model is in %s", f, name)
	}
	if tally.Empty > s.Models/3 || s.Toolchain != nil && tally.Compiled < int(s.Models) {
		t.Errorf("of %d models %d have no run that can be compared, and %d runs were compiled", s.Models, tally.Empty, tally.Compiled)
	}
}

// TestInferred tests that no model is rejected before its evaluation: such a model would be counted although
// nothing is compared.
func TestInferred(t *testing.T) {
	scans, wide := 0, 0
	for seed := range uint64(1000) {
		m := randomgraph.Draw(seed).Module
		m.Main.Body.Walk(func(n *ir.Node) {
			if n.Is("Scan") {
				scans++
			}
			if n.Is("MatMul") && slices.ContainsFunc(n.In, func(v *ir.Value) bool { return ir.Size(v.Type.Shape).Equal(ir.C(300 * 300)) }) {
				wide++
			}
		})
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if scans == 0 {
		t.Error("none has a Scan")
	}
	if wide == 0 {
		t.Error("none has a matrix that may be stored in 16 bits")
	}
}

// TestFound runs models that once differed.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var models []*randomgraph.Model
	names := map[*randomgraph.Model]string{}
	for _, name := range files {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		models, names[m] = append(models, m), name
	}
	if len(models) == 0 {
		t.Fatal("testdata has no models")
	}
	tools, err := NewToolchain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := tools.Compiled(models)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failures {
		t.Errorf("%s: %v", names[f.Model], f)
	}
}

// FuzzPasses checks the models of arbitrary seeds.
func FuzzPasses(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if _, f := Passes(randomgraph.Draw(seed)); f != nil {
			t.Error(Minimize(f, smaller, passes))
		}
	})
}
