package bbgen_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestWatch tests that each stage shows its graphs: first the model, then the training step and the
// evaluation.
func TestWatch(t *testing.T) {
	m, err := ir.Parse("in.ir", "module \"m\"\nopset 21\n\nfunc @main(%x: float32[batch,2]) -> (%y) {\n  const %w: float32[2,2] = [1, 2, 3, 4]\n  %y = MatMul(%x, %w) : ?\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	sgd, err := train.NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string][]*ir.Module{}
	var order []string
	_, err = bbgen.Compile(m, bbgen.Config{
		Train: &train.Options{Loss: train.Loss{Name: "mse", Axis: 1}, Optimizer: sgd}, Until: "plan",
		Watch: func(stage string, g *ir.Module) {
			seen[stage] = append(seen[stage], g)
			if !slices.Contains(order, stage) {
				order = append(order, stage)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen["import"], []*ir.Module{m}) {
		t.Errorf("import shows %d graphs, want the model", len(seen["import"]))
	}
	if graphs := seen["train"]; len(graphs) != 2 || !slices.Equal(graphs, seen["fuse"]) || !slices.Equal(graphs, seen["plan"]) || graphs[0] != m {
		t.Errorf("train, fuse and plan show %d, %d and %d graphs, want the same two, the model first", len(graphs), len(seen["fuse"]), len(seen["plan"]))
	}
	if len(order) < 4 || order[0] != "import" || order[1] != "train" || order[len(order)-1] != "plan" {
		t.Errorf("the stages are shown in the order %q", order)
	}
}
