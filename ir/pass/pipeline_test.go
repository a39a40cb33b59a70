package pass_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestPipeline shows what a pass does to a small graph, behind those that come before it in the pipeline. The name of a
// file is that of the pass.
func TestPipeline(t *testing.T) {
	golden.Run(t, "testdata/pipeline_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(a.Name), ".txtar"), "pipeline_")
		if !slices.Contains(pass.Names(pass.Pipeline), name) {
			t.Fatalf("there is no pass %q", name)
		}
		if err := pass.Run(m, pass.Until(pass.Pipeline, name), nil); err != nil {
			t.Fatal(err)
		}
		a.Check("out/"+name, ir.Print(m))
	})
}

// TestGoldens: each pass of the pipeline has a golden file.
func TestGoldens(t *testing.T) {
	own := map[string]string{"fuse-qdq": "qdq_", "fuse": "fuse_", "layout": "layout_", "join": "join_", "early": "early", "reroll": "reroll_"}
	for _, name := range pass.Names(pass.Pipeline) {
		prefix := own[name]
		if prefix == "" {
			prefix = "pipeline_" + name + "."
		}
		found, err := filepath.Glob("testdata/" + prefix + "*txtar")
		if err != nil || len(found) == 0 {
			t.Errorf("%s has no golden file %s: %v", name, prefix, err)
		}
	}
}
