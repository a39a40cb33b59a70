package partitioner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestVerified: a fault that any stage leaves in the graph is found at once.
func TestVerified(t *testing.T) {
	fault := makeStage{"fault", func(c *cutter) {
		v := &ir.Value{Name: "undefined", Type: c.m.Main.Body.Params[0].Type}
		c.m.Main.Body.Nodes[0].In[0] = v
	}}
	if got := made(t, makeStages); got != "" {
		t.Fatalf("without a fault: got %q", got)
	}
	for i, s := range makeStages {
		want := "BUG: after fault of the partitioner: func @main"
		if got := made(t, slices.Insert(slices.Clone(makeStages), i+1, fault)); !strings.HasPrefix(got, want) {
			t.Errorf("a fault after %s: got %q, want %q", s.name, got, want)
		}
	}
}

// made cuts a program by the given stages. It returns the panic, or "".
func made(t *testing.T, stages []makeStage) (text string) {
	t.Helper()
	m, err := ir.Parse("in.ir", "module \"m\"\nopset 20\n\nfunc @main(%a.x: float32[4]) -> (%a.y) {\n  %a.y = Exp(%a.x) : float32[4] @a\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	if err := newCutter(m, Options{Unbound: true}).run(stages); err != nil {
		t.Fatal(err)
	}
	return ""
}
