package pass_test

import (
	"reflect"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestEarly shows which nodes Early moves, and makes a step before and after the pass.
func TestEarly(t *testing.T) {
	golden.Run(t, "testdata/early*.txtar", func(t *testing.T, a *golden.Archive) {
		before, after := parse(t, a), parse(t, a)
		if err := pass.Run(after, []*pass.Pass{pass.Early}, nil); err != nil {
			t.Fatal(err)
		}
		a.Check("out/early", ir.Print(after))
		in := inputs(a.Name, before)
		want, wantNext, err := eval.Step(before.Main, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		got, gotNext, err := eval.Step(after.Main, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotNext, wantNext) {
			t.Errorf("got %v and the states %v, want %v and %v", got, gotNext, want, wantNext)
		}
	})
}
