package plantest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/partitioner"
)

// TestWords compares the commands of programs and their components with the words of their slots.
func TestWords(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var commands, components strings.Builder
		for _, part := range Program(t, a).Parts {
			for _, m := range part.Modules {
				for _, c := range m.Cuts {
					if c.Kind == partitioner.Command && c.Slot != nil {
						fmt.Fprintln(&commands, part.Class, c.Slot.Name, c.Node.Op)
					}
				}
			}
			list := Components(a, part)
			for _, slot := range slices.Sorted(maps.Keys(list)) {
				fmt.Fprintln(&components, part.Class, slot, abilities(list[slot]))
			}
		}
		a.Check("out/commands", commands.String())
		a.Check("out/components", components.String())
	})
}

// abilities returns what a component has besides a type.
func abilities(c peerplan.Component) string {
	out := []string{c.Type}
	add := func(has bool, what string) {
		if has {
			out = append(out, what)
		}
	}
	add(c.Opens, "opens")
	add(c.Keeps, "keeps")
	add(c.Shaped, "shaped")
	add(c.Gathers, "gathers")
	for _, name := range slices.Sorted(maps.Keys(c.Methods)) {
		m := c.Methods[name]
		add(m.Context, name+"(context)")
		add(m.Peer, name+"(peer)")
		add(m.Large, name+"(large)")
	}
	return strings.Join(out, " ")
}

// TestUnknownWords: a word or a slot that means nothing is refused, as the test would be one of something else.
func TestUnknownWords(t *testing.T) {
	p := &partitioner.Program{Parts: []*partitioner.Partition{{Slots: []*partitioner.Slot{{Name: "agg"}}}, {Slots: []*partitioner.Slot{{Name: "model"}}}}}
	for _, c := range []struct {
		slots map[string][]string
		want  string
	}{
		{nil, ""},
		{map[string][]string{"agg": {"gathers", "large"}, "model": nil}, ""},
		{map[string][]string{"agg": {"gathers", "lagre"}}, `slot "agg" has the unknown word "lagre"`},
		{map[string][]string{"modle": {"keeps"}}, `no partition has the slot "modle"`},
	} {
		got := ""
		if err := check(c.slots, p); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.slots, got, c.want)
		}
	}
}
