package differ

import (
	"errors"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
)

// TestMinimizeSizes minimizes a model where all models with a product fail.
func TestMinimizeSizes(t *testing.T) {
	m, err := ir.Parse("m", `module "m"
opset 25
func @main(%x: float32[n,3,16]) -> (%y, %z) {
  const %shape: int64[2] = [-1, 16]
  const %bias: float32[16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  %r = Relu(%x)
  %f = Reshape(%r, %shape)
  %y = Mul(%f, %bias)
  %z = Neg(%y)
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = plain(m); err != nil {
		t.Fatal(err)
	}
	find := func(m *randomgraph.Model) *Failure {
		c, f := check(m)
		for _, n := range m.Module.Main.Body.Nodes {
			if n.Op == "Mul" && f == nil && len(c.sets) > 0 {
				return &Failure{m, Optimized, 0, errors.New("differs")}
			}
		}
		return f
	}
	model := &randomgraph.Model{Module: m, Runs: []randomgraph.Run{{"n": 9}, {"n": 5}}}
	f := Minimize(find(model), 200, find)
	if runs := f.Model.Runs; len(runs) != 1 || runs[0]["n"] > 1 {
		t.Errorf("got runs %v, want one of size 1", runs)
	}
	if sizes := knownSizes(f.Model.Module); len(sizes) > 0 {
		t.Errorf("got sizes %v, want none above 1 in\n%s", sizes, ir.Print(f.Model.Module))
	}
}
