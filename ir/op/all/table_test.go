package all

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// TestOpsPage compares OPS.md with the table; BBGEN_UPDATE=1 rewrites it.
func TestOpsPage(t *testing.T) {
	const file = "../../../OPS.md"
	want := opsPage()
	if os.Getenv("BBGEN_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("OPS.md is not what the table says; BBGEN_UPDATE=1 go test ./ir/op/all rewrites it")
	}
}

// opsPage returns OPS.md.
func opsPage() string {
	var b strings.Builder
	b.WriteString("# Operators\n\n")
	b.WriteString("Written from the operator table (`ir/op`) by its test; do not edit.\n\n")
	b.WriteString("*Versions* are the operator sets that changed an operator: older forms are brought to the newest.\n")
	b.WriteString("*Attributes* have their default behind \"=\", or their kind behind \":\"; those with \"?\" may be left out without one.\n")
	b.WriteString("*Inputs* and *outputs* in brackets may be left out; behind \"…\" any number follows. What has no type in parentheses is like an input, or anything.\n")
	b.WriteString("*How* says what runs: a kernel of `runtime/cpu`, a definition by other operators, a view of the same\n")
	b.WriteString("memory, generated control flow, or, in distributed programs, the engine or a component of the author's.\n")
	b.WriteString("*Gradient* says whether a loss may depend on it, and why not.\n")
	b.WriteString("Float16, bfloat16 and float8 are stored as such; arithmetic on them is float32, and so are the constants that it reads.\n")
	for _, domain := range domains() {
		var rows []string
		for _, o := range op.All() {
			if o.Domain == domain && !internal(o) {
				rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", o.Name, versions(o), attrsCell(o), portsCell(o), how(o), gradient(o)))
			}
		}
		if len(rows) == 0 {
			continue
		}
		name := domain
		if name == "" {
			name = "ai.onnx"
		}
		fmt.Fprintf(&b, "\n## %s: %d operators\n\n| operator | versions | attributes | inputs → outputs | how | gradient |\n| --- | --- | --- | --- | --- | --- |\n%s", name, len(rows), strings.Join(rows, ""))
	}
	return b.String()
}

func domains() []string {
	var out []string
	for _, o := range op.All() {
		out = append(out, o.Domain)
	}
	return slices.Compact(out)
}

// internal reports whether only bbgen's own passes make such nodes.
func internal(o *op.Op) bool { return o.Domain == op.Own }

func versions(o *op.Op) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Since), " ", ", "), "[]")
}

func how(o *op.Op) string {
	switch {
	case o.Flow != op.NoFlow:
		return "control flow"
	case o.Lower != nil && o.Expand != nil:
		return "kernel or definition"
	case o.Expand != nil:
		return "definition"
	case o.Alias:
		return "view"
	case o.Peer != nil && strings.HasPrefix(o.Domain, peer.RolePrefix):
		return "component"
	case o.Peer != nil:
		return "engine"
	}
	return "kernel"
}

func gradient(o *op.Op) string {
	switch {
	case o.Stops != "":
		return "no: " + o.Stops
	case o.Synonym():
		return "of its definition"
	}
	return "yes"
}
