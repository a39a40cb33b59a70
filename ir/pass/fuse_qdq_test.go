package pass_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestFuseQDQ shows the effect of FuseQDQ on small graphs, and runs them before and after the pass.
func TestFuseQDQ(t *testing.T) {
	golden.Run(t, "testdata/qdq_*.txtar", func(t *testing.T, a *golden.Archive) {
		before, after := parse(t, a), parse(t, a)
		if err := pass.Run(after, []*pass.Pass{pass.FuseQDQ, pass.DCE}, nil); err != nil {
			t.Fatal(err)
		}
		a.Check("out/qdq", ir.Print(after))

		in := inputs(a.Name, before)
		want, err := eval.Run(before.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Run(after.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range before.Main.Body.Results {
			if err := compare.Values(got[i], want[i], compare.Tolerance{Rel: 1e-5, Abs: 1e-6}); err != nil {
				t.Errorf("output %q: %v", v.Name, err)
			}
		}
	})
}
