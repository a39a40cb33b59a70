package view

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestBounds tests that a page has a bounded size and is made in bounded time, from functions that each call
// the next one ten times, in a circle or down to an empty one, and from long names.
func TestBounds(t *testing.T) {
	for _, last := range []string{"f0", "empty"} {
		t.Run(last, func(t *testing.T) { checkBounds(t, last) })
	}
}

// checkBounds has eight functions that each call the next one; the last calls another.
func checkBounds(t *testing.T, last string) {

	m := &ir.Module{Main: &ir.Func{Body: &ir.Region{}}}
	call := func(name string) *ir.Node {
		return &ir.Node{Op: name, Local: true, Name: name}
	}
	long := string(make([]byte, 10*maxText))
	m.Main.Body.Nodes = []*ir.Node{call("f0"), {Op: long, Name: long}}
	names := []string{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", last}
	for i, name := range names[:8] {
		f := &ir.Func{Name: name, Body: &ir.Region{}}
		for range 10 {
			f.Body.Nodes = append(f.Body.Nodes, call(names[i+1]))
		}
		m.Funcs = append(m.Funcs, f)
	}
	m.Funcs = append(m.Funcs, &ir.Func{Name: "empty", Body: &ir.Region{}})
	c := newCollector("model", nil)
	c.note("import", m)
	s := c.graph.Stages[0]
	if len(s.Nodes) > maxNodes || !s.Truncated || len(c.graph.Groups) > 2*maxVersions {
		t.Errorf("%d nodes and %d groups, truncated: %t", len(s.Nodes), len(c.graph.Groups), s.Truncated)
	}
	for _, n := range c.graph.Nodes {
		if len(n.Op) > maxText+8 || len(n.Name) > maxText+8 {
			t.Fatalf("a node has a name of %d bytes", len(n.Name))
		}
	}
}
