package differ

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// smaller is how many smaller models a test tries for each failure.
const smaller = 100

// TestRandomModels checks the same models each time, some of them also as code. More
// of them: go run ./internal/randomgraph/fuzz -count 100000.
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

// TestInferred shows that no model is refused before anything is computed: one that is
// would be counted as compared with nothing.
func TestInferred(t *testing.T) {
	scans := 0
	for seed := range uint64(1000) {
		m := randomgraph.Draw(seed).Module
		m.Main.Body.Walk(func(n *ir.Node) {
			if n.Is("Scan") {
				scans++
			}
		})
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if scans == 0 {
		t.Error("none has a Scan")
	}
}

// TestFound runs the models that differed once.
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

// FuzzPasses checks models of any seed.
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
