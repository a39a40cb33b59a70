// Package plantest reads programs and components from golden files, for tests of what is
// planned and of what is printed.
package plantest

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

// Program returns the program in the section in.ir of an archive, cut. The methods of a slot
// are commands if its words in the section slots have "command", and none if they have
// "inline".
func Program(t *testing.T, a *golden.Archive) *partitioner.Program {
	t.Helper()
	m, err := ir.Parse(a.Name, a.Get("in.ir"))
	if err != nil {
		t.Fatal(err)
	}
	slots := words(a)
	return Cut(t, m, func(s *partitioner.Slot, n *ir.Node) bool {
		isCommand := slices.Contains(slots[s.Name], "command")
		return isCommand || peerplan.PeerOp(n).Slow && !slices.Contains(slots[s.Name], "inline")
	})
}

// Cut returns a program, cut. Calls are commands if command, which may be nil, says so.
func Cut(t *testing.T, m *ir.Module, command func(*partitioner.Slot, *ir.Node) bool) *partitioner.Program {
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

// words are what the section slots of an archive says of each slot.
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

// Components are types of a package parts of nobody's. A line of the section slots is a
// slot and what its component has: "agg: gathers large"; see [Program] for "command" and
// "inline". Nothing is bound to a slot that
// is "empty".
func Components(a *golden.Archive, p *partitioner.Partition) map[string]peerplan.Component {
	out := map[string]peerplan.Component{}
	slots := words(a)
	for _, s := range p.Slots {
		has := func(word string) bool { return slices.Contains(slots[s.Name], word) }
		if has("empty") {
			continue
		}
		out[s.Name] = component(s, has)
	}
	return out
}

// methods are those that the words of a slot are about.
var methods = []string{"TrainStep", "Forward", "NextBatch", "Contribute", "Aggregate", "Sample"}

func component(s *partitioner.Slot, has func(string) bool) peerplan.Component {
	typ := strings.ToUpper(s.Role[:1]) + s.Role[1:]
	c := peerplan.Component{
		Package: "example.com/parts", Type: typ, Value: peerplan.Literal{Package: "example.com/parts", Type: typ},
		Opens: has("opens"), Keeps: has("keeps"), Shaped: has("shaped"), Gathers: has("gathers"),
		Methods: map[string]peerplan.Method{},
	}
	for _, name := range methods {
		c.Methods[name] = peerplan.Method{Context: has("context"), Node: has("node"), Large: has("large") && name == "Contribute"}
	}
	return c
}
