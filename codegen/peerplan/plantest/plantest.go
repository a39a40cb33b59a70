// Package plantest reads programs and components from golden files, for tests of planning and of printing.
package plantest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// Program returns the program in the section in.ir of an archive, after [partitioner.Make]. All methods of a
// slot are commands if its line in the section slots contains "command", and none if it contains "inline".
func Program(t *testing.T, a *golden.Archive) *partitioner.Program {
	t.Helper()
	m, err := ir.Parse(a.Name, a.Get("in.ir"))
	if err != nil {
		t.Fatal(err)
	}
	slots := words(a)
	p := Cut(t, m, func(s *partitioner.Slot, n *ir.Node) bool {
		isCommand := slices.Contains(slots[s.Name], "command")
		return isCommand || op.PeerOf(n).Slow && !slices.Contains(slots[s.Name], "inline")
	})
	if err := check(slots, p); err != nil {
		t.Fatalf("%s: slots: %v", a.Name, err)
	}
	return p
}

// known are the words that a slot may have.
var known = []string{"command", "inline", "empty", "opens", "keeps", "shaped", "gathers", "context", "peer", "large"}

// check refuses words and slots that mean nothing: an archive with one would test something else than it says.
func check(slots map[string][]string, p *partitioner.Program) error {
	for name, list := range slots {
		if !slices.ContainsFunc(p.Parts, func(part *partitioner.Partition) bool {
			return slices.ContainsFunc(part.Slots, func(s *partitioner.Slot) bool { return s.Name == name })
		}) {
			return fmt.Errorf("no partition has the slot %q", name)
		}
		for _, w := range list {
			if !slices.Contains(known, w) {
				return fmt.Errorf("slot %q has the unknown word %q", name, w)
			}
		}
	}
	return nil
}

// Cut returns a program after [partitioner.Make]. Calls for which command returns true are commands; command
// may be nil.
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

// words returns the words for each slot in the section slots of an archive.
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

// Components returns components with types in a fictitious package parts. A line of the section slots is a
// slot followed by the abilities of its component: "agg: gathers large"; see [Program] for "command" and
// "inline". A slot that is "empty" has no component.
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

// methods are the methods to which the words of a slot apply.
var methods = []string{"TrainStep", "Forward", "NextBatch", "Contribute", "Aggregate", "Sample"}

func component(s *partitioner.Slot, has func(string) bool) peerplan.Component {
	typ := strings.ToUpper(s.Role[:1]) + s.Role[1:]
	c := peerplan.Component{
		Package: "example.com/parts", Type: typ, Value: peerplan.Literal{Package: "example.com/parts", Type: typ},
		Opens: has("opens"), Keeps: has("keeps"), Shaped: has("shaped"), Gathers: has("gathers"),
		Methods: map[string]peerplan.Method{},
	}
	for _, name := range methods {
		c.Methods[name] = peerplan.Method{Context: has("context"), Peer: has("peer"), Large: has("large") && name == "Contribute"}
	}
	return c
}
