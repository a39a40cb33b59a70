package peerplan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestPlan shows what the peers of small programs keep. A line of the section slots is
// a slot and what its component has: "agg: gathers large".
func TestPlan(t *testing.T) {
	golden.Run(t, "testdata/plan_*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, part := range program(t, a).Parts {
			p, err := peerplan.Make(part, components(part, words(a)))
			if err != nil {
				t.Fatal(err)
			}
			a.Check("out/"+part.Class, peerplan.Print(p))
		}
	})
}

// TestError shows of what no code can be made.
func TestError(t *testing.T) {
	golden.Run(t, "testdata/error_*.txtar", func(t *testing.T, a *golden.Archive) {
		part := program(t, a).Parts[0]
		_, err := peerplan.Make(part, components(part, words(a)))
		if err == nil {
			t.Fatal("no error")
		}
		a.Check("out/error", err.Error())
	})
}

// TestSchema shows that a snapshot belongs to the fields that it holds: their names and
// types count, the code of blocks does not.
func TestSchema(t *testing.T) {
	const text = `module "m"
opset 20, "ai.bytesandbrains.syscall" 1

func @main(%a.x: float32[4]) -> () {
  %later = "ai.bytesandbrains.syscall":After() {delay_ns = 5} @a
  %g = "ai.bytesandbrains.syscall":Gate(%a.x, %later) @a
  %y = Relu(%g) @a
  %out = "ai.bytesandbrains.syscall":AppEmit(%y) {name = "y"} @a
}
`
	schema := func(from, to string) uint64 {
		m, err := ir.Parse("m", strings.ReplaceAll(text, from, to))
		if err != nil {
			t.Fatal(err)
		}
		p, err := peerplan.Make(cut(t, m, nil).Parts[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Schema
	}
	want := schema("", "")
	if got := schema("Relu", "Neg"); got != want {
		t.Error("another computation makes another snapshot")
	}
	for _, c := range [][2]string{{"a.x", "a.z"}, {"float32[4]", "float32[5]"}, {"%later", "%sooner"}} {
		if got := schema(c[0], c[1]); got == want {
			t.Errorf("%s for %s: the snapshot is the same", c[1], c[0])
		}
	}
}

// program is that of an archive, cut.
func program(t *testing.T, a *golden.Archive) *partitioner.Program {
	t.Helper()
	m, err := ir.Parse(a.Name, a.Get("in.ir"))
	if err != nil {
		t.Fatal(err)
	}
	return cut(t, m, func(s *partitioner.Slot, _ *ir.Node) bool { return slices.Contains(words(a)[s.Name], "command") })
}

func cut(t *testing.T, m *ir.Module, command func(*partitioner.Slot, *ir.Node) bool) *partitioner.Program {
	t.Helper()
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	p, err := partitioner.Make(m, partitioner.Options{Unbound: true, Command: command})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// words are what an archive says of each slot.
func words(a *golden.Archive) map[string][]string {
	out := map[string][]string{}
	if a.Has("slots") {
		for line := range strings.Lines(a.Get("slots")) {
			slot, text, _ := strings.Cut(line, ":")
			out[slot] = strings.Fields(text)
		}
	}
	return out
}

// components are types that have what is said of the slots of a partition. A slot that
// is "empty" has none.
func components(p *partitioner.Partition, words map[string][]string) map[string]peerplan.Component {
	out := map[string]peerplan.Component{}
	for _, s := range p.Slots {
		has := func(word string) bool { return slices.Contains(words[s.Name], word) }
		if has("empty") {
			continue
		}
		out[s.Name] = peerplan.Component{
			Package: "parts", Type: strings.ToUpper(s.Role[:1]) + s.Role[1:],
			Opens: has("opens"), Keeps: has("keeps"), Shaped: has("shaped"), Gathers: has("gathers"),
			Methods: map[string]peerplan.Method{"Contribute": {Large: has("large")}},
		}
	}
	return out
}
