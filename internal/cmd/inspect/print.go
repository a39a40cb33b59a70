package inspect

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// print prints the report as text.
func (r *Report) print(w io.Writer) {
	fmt.Fprintf(w, "model       %s (%s)\n", r.Name, r.File)
	for _, d := range slices.Sorted(maps.Keys(r.Opsets)) {
		name := d
		if d == "" {
			name = "ai.onnx"
		}
		fmt.Fprintf(w, "opset       %s %d\n", name, r.Opsets[d])
	}
	for _, p := range r.Inputs {
		fmt.Fprintf(w, "input       %s %s\n", p.Name, p.Type)
	}
	for _, p := range r.Outputs {
		fmt.Fprintf(w, "output      %s %s\n", p.Name, p.Type)
	}
	for _, list := range []struct {
		name  string
		names []string
	}{{"classes", r.Classes}, {"columns", r.Columns}} {
		if list.names != nil {
			fmt.Fprintf(w, "%-11s %s\n", list.name, strings.Join(list.names, ", "))
		}
	}
	fmt.Fprintf(w, "nodes       %d: %s\n", r.Nodes, tally(r.Ops))
	fmt.Fprintf(w, "parameters  %d\n", r.Parameters)
	if r.Program != nil {
		r.Program.print(w)
	}
	if r.FLOPs != "" {
		fmt.Fprintf(w, "FLOPs       %s\narena       %d bytes%s\nweights     %d bytes\n", r.work(), r.Arena, r.unbound(), r.Weights)
	}
	for _, t := range r.Training {
		for _, p := range t.Inputs {
			fmt.Fprintf(w, "training    reads %s %s\n", p.Name, p.Type)
		}
		fmt.Fprintf(w, "training    changes %s by %s\n", strings.Join(t.Updates, ", "), tally(t.Ops))
	}
	for _, u := range r.Unsupported {
		fmt.Fprintf(w, "unsupported %s (%s): %s\n", u.Node, u.Op, u.Reason)
	}
	for _, s := range r.Warnings {
		fmt.Fprintf(w, "warning     %s\n", s)
	}
	if r.Error != "" {
		fmt.Fprintf(w, "error       %s\n", r.Error)
	}
	if r.Plan != nil {
		fmt.Fprintf(w, "\n%s", r.Plan)
	}
	if len(r.Choices) > 0 {
		fmt.Fprint(w, "\nconvolutions\n")
	}
	for _, c := range r.Choices {
		fmt.Fprintf(w, "  %s  %s: %s\n", c.Node, c.What, c.Pick)
	}
}

// unbound returns a note about memory that is not part of the arena.
func (r *Report) unbound() string {
	if len(r.sizes) == 0 {
		return ""
	}
	return fmt.Sprintf(", and what grows with %s; --bind %s=1 counts it", strings.Join(r.sizes, ", "), strings.Join(r.sizes, "=1,"))
}

// longestSum is the number of characters up to which a sum is printed in full.
const longestSum = 160

// work returns the number of operations of a run, or its constant part if the sum is too long to read.
func (r *Report) work() string {
	text := briefly(r.flops)
	if len(text) <= longestSum || len(r.sizes) == 0 {
		return text + " a run"
	}
	if least, ok := r.flops.Eval(func(string) (int, bool) { return 0, true }); ok {
		return fmt.Sprintf("%d a run%s", least, r.unbound())
	}
	return strings.TrimPrefix(r.unbound(), ", and ")
}

// manySizes is the largest number of symbols for which a sum is printed in full.
const manySizes = 8

// briefly returns the text of a sum, or only its constant part if it has many symbols.
func briefly(sum ir.Dim) string {
	sizes := map[string]bool{}
	sum.Syms(func(s string) { sizes[s] = true })
	least, ok := sum.Eval(func(string) (int, bool) { return 0, true })
	if len(sizes) <= manySizes || !ok {
		return sum.String()
	}
	return fmt.Sprintf("%d and more, by %d sizes that are known when it runs,", least, len(sizes))
}

// tally lists operators, the most frequent first.
func tally(ops map[string]int) string {
	names := slices.SortedFunc(maps.Keys(ops), func(a, b string) int {
		if c := ops[b] - ops[a]; c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, ops[n])
	}
	return strings.Join(names, ", ")
}
