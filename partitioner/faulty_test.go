package partitioner_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// TestFaults: no cut program has a fault.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	sound := 0
	for _, file := range files {
		if p := ofFile(t, file); p != nil {
			sound++
			for _, fault := range faults(p) {
				t.Errorf("%s: %s", filepath.Base(file), fault)
			}
		}
	}
	if sound < len(files)/3 {
		t.Errorf("%d of %d programs are cut", sound, len(files))
	}
}

// ofFile returns the program of a golden, or nil if that is refused.
func ofFile(t *testing.T, file string) *partitioner.Program {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == "in.ir" {
			p, _ := partitioner.Make(compiled(t, file, string(f.Data)), partitioner.Options{Unbound: true})
			return p
		}
	}
	return nil
}

// sound is a cut program, with a server that gathers from clients.
type sound struct {
	*partitioner.Program
	server, child, client *partitioner.Module
}

// TestFaulty damages a program in each way that [faults] must notice.
func TestFaulty(t *testing.T) {
	for _, c := range []struct {
		want   string
		damage func(p sound)
	}{
		{"edge client.update: has the index 1, want 0", func(p sound) { p.Edges[0].Index = 1 }},
		{"edge client.update: does not follow client.weight by its text", func(p sound) { slices.Reverse(p.Edges) }},
		{"edge server.go: has the depth 0", func(p sound) { p.edge("server.go").Depth = 0 }},
		{"edge client.update: is sent by 0 steps of client", func(p sound) { p.client.Blocks[0].Steps = nil }},
		{"edge server.go: is received by 0 cut points of client", func(p sound) { p.client.Cuts[0].Edge = nil }},
		{"server.server: gather update has the index 7, want 1", func(p sound) { p.server.Cuts[1].Index = 7 }},
		{"server.server: block contribute has the index 0, want 1", func(p sound) { p.server.Blocks[1].Index = 0 }},
		{"server.server: block contribute waits for fill go, which is not of its module", func(p sound) {
			p.server.Blocks[1].Wait = p.client.Cuts[:1]
		}},
		{"server.server.update: block received waits for fill update behind fill weight", func(p sound) {
			slices.Reverse(p.child.Blocks[len(p.child.Blocks)-1].Wait)
		}},
		{"server.server: block contribute needs block contribute", func(p sound) { p.server.Blocks[1].Needs = p.server.Blocks[1:] }},
		{"server.server: 0 blocks start gather update, want 1", func(p sound) { p.server.Blocks[0].Starts = nil }},
		{"server.server: 1 blocks start input go, want 0", func(p sound) {
			p.server.Blocks[1].Starts = append(p.server.Blocks[1].Starts, p.server.Cuts[0])
		}},
		{"server.server.update: its parent gathers something else", func(p sound) { p.child.Gather = p.server.Cuts[0] }},
		{"server.server: gather update has a child that is no module of server", func(p sound) { p.server.Cuts[1].Child = p.client }},
		{`client.client: nothing computes the field "server.go"`, func(p sound) { p.client.Fields = append(p.client.Fields, p.server.Fields[0]) }},
		{`client.client: the field "go" is there twice`, func(p sound) { p.client.Fields = append(p.client.Fields, p.client.Fields[0]) }},
		{`server.server: the field "got" has no value`, func(p sound) {
			p.server.Fields = append(p.server.Fields, out(p.server, "got"))
		}},
		{`server.server: block send_go reads "server.go", which is in no field`, func(p sound) { p.server.Fields = nil }},
		{`server.server: block contribute reads "update", which is in no field`, func(p sound) { p.child.Fields = nil }},
	} {
		p := damaged(t)
		c.damage(p)
		if found := faults(p.Program); !slices.Contains(found, c.want) {
			t.Errorf("got %q, want %s", found, c.want)
		}
	}
}

// damaged returns a program without a fault yet.
func damaged(t *testing.T) sound {
	t.Helper()
	p := ofFile(t, "testdata/cut_gather_weight.txtar")
	if found := faults(p); found != nil {
		t.Fatal(strings.Join(found, "\n"))
	}
	server := p.Parts[1].Modules
	return sound{p, server[0], server[1], p.Parts[0].Modules[0]}
}

func (p sound) edge(name string) *partitioner.Edge {
	return p.Edges[slices.IndexFunc(p.Edges, func(e *partitioner.Edge) bool { return e.Name == name })]
}

// out returns a result of a step of a module.
func out(m *partitioner.Module, name string) (found *ir.Value) {
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			for _, v := range results(s) {
				if v.Name == name {
					found = v
				}
			}
		}
	}
	return found
}
