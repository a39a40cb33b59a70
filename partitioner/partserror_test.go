package partitioner_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// TestPartsError shows which models cannot be cut into stages that are trained.
func TestPartsError(t *testing.T) {
	const plain = "func @main(%x: float32[8]) -> (%y) {\n  %h = Exp(%x)\n  %y = Tanh(%h)\n}\n"
	counted := strings.NewReplacer("Exp(%x)", "NonZero(%x)", "Tanh(%h)", "Abs(%h)").Replace(plain)
	few := "it cannot be cut into 2 stages to be trained: at too few places, all values that cross are tensors with sizes that are fixed or those of an input: want fewer stages, or fixed sizes (--bind)"
	for _, c := range []struct {
		name, text string
		opt        partitioner.SplitOptions
		want       string
	}{
		{"one stage", plain, partitioner.SplitOptions{Stages: 1}, "1 stages, want at least 2"},
		{"more stages than operators", plain, partitioner.SplitOptions{Stages: 3}, "3 stages of a model of 2 operators, want at most one each"},
		{"two stages of one name", plain, partitioner.SplitOptions{Stages: 2, Names: []string{"a", "a"}}, `two stages are called "a"`},
		{"little memory", plain, partitioner.SplitOptions{Stages: 2, PeerMemory: 7},
			"it cannot be cut into 2 stages to be trained: no cut leaves every stage with at most 7 B of weights and values"},
		{"a size that depends on data crosses", counted, partitioner.SplitOptions{Stages: 2}, few},
	} {
		m, err := ir.Parse("m", "module \"m\"\nopset 20\n\n"+c.text)
		if err != nil {
			t.Fatal(err)
		}
		prepare(t, m)
		_, _, err = partitioner.Parts(m, c.opt, never)
		if err == nil || err.Error() != "m: "+c.want {
			t.Errorf("%s:\n got %v\nwant m: %s", c.name, err, c.want)
		}
	}
}
