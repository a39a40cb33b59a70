package partitioner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/partitioner"
)

// chained returns a program of n commands, each with the result of the previous one.
func chained(n int) string {
	var b strings.Builder
	b.WriteString("module \"chained\"\nopset 20, \"ai.bytesandbrains.role.model\" 1\n\nfunc @main(%x0: float32[4]) -> ")
	fmt.Fprintf(&b, "(%%x%d) {\n", n)
	for i := range n {
		fmt.Fprintf(&b, "  %%x%d = \"ai.bytesandbrains.role.model\":Forward(%%x%d) {slot = \"m\", types = [\"float32[4]\"]} @a at \"a.go:%d\"\n", i+1, i, i+1)
	}
	b.WriteString("}\n")
	return b.String()
}

// A module may have the maximum number of cut points, which is more than a word has bits.
func TestManyCuts(t *testing.T) {
	p, err := partitioner.Make(compiled(t, "chained", chained(100)), partitioner.Options{Unbound: true})
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Parts[0].Modules[0]; len(m.Cuts) != 101 || len(m.Blocks) != 101 {
		t.Errorf("%d cut points and %d blocks, want 101 of each", len(m.Cuts), len(m.Blocks))
	}
	_, err = partitioner.Make(compiled(t, "chained", chained(1030)), partitioner.Options{Unbound: true})
	if want := "more than 1024 cut points"; err == nil || strings.Count(err.Error(), want) != 1 {
		t.Errorf("got %v, want one error of %s", err, want)
	}
}
