package pass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// squeezes is a model with count Ifs in a row, whose branches differ in rank.
func squeezes(t *testing.T, count int) *ir.Module {
	var b strings.Builder
	b.WriteString(`module "m"
opset 21

func @main(%t0: float32[1,n], %size: int64[]) -> (%y) {
  const %one: int64[] = 1
  const %axis: int64[1] = [0]
  %is = Equal(%size, %one)
`)
	for i := range count {
		fmt.Fprintf(&b, `  %%s%[1]d = If(%%is)
    then_branch() -> (%%a%[1]d) {
      %%a%[1]d = Unsqueeze(%%t%[1]d, %%axis)
    }
    else_branch() -> (%%b%[1]d) {
      %%b%[1]d = Identity(%%t%[1]d)
    }
  %%t%[2]d = Exp(%%s%[1]d)
`, i, i+1)
	}
	fmt.Fprintf(&b, "  %%y = ReduceSum(%%t%d) {keepdims = 0}\n}\n", count)
	m, err := ir.Parse("m.ir", b.String())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestManyDiverge: each If doubles what follows. The names do not double with it, and too many Ifs are an error, not
// a branch that cannot run.
func TestManyDiverge(t *testing.T) {
	m := squeezes(t, 10)
	if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
		t.Fatal(err)
	}
	longest := 0
	m.Main.Body.Walk(func(n *ir.Node) { longest = max(longest, len(n.Name), len(n.Out[0].Name)) })
	if longest > 400 {
		t.Errorf("a name has %d bytes, want less than 400", longest)
	}
	err := pass.Run(squeezes(t, 20), []*pass.Pass{pass.Infer}, nil)
	if err == nil || !strings.Contains(err.Error(), "too many branches give values of differing ranks") || len(err.Error()) > 1000 {
		t.Errorf("got %v, want that there are too many branches", err)
	}
}
