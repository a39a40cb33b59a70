package view

import (
	"fmt"

	"github.com/bbgen/bbgen/partitioner"
)

// Program describes the parts of a distributed program.
type Program struct {
	Fingerprint string         `json:"fingerprint"`
	Classes     []Class        `json:"classes"`
	Edges       []Edge         `json:"edges"`
	Bytes       int64          `json:"bytes"` // sent in a round
	Seconds     float64        `json:"seconds"`
	Assumed     map[string]int `json:"assumed,omitempty"` // assumed sizes of symbols
	Text        string         `json:"text"`              // the whole program, as printed by bbgen inspect --partitions
}

// Class is a class of peers and what they run.
type Class struct {
	Name    string   `json:"name"`
	Slots   []Slot   `json:"slots"`
	Modules []Module `json:"modules"`
}

// Slot is a place for a component.
type Slot struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Module is the part of one execution on a peer.
type Module struct {
	Name   string     `json:"name"`
	Opens  string     `json:"opens"` // what opens it
	Blocks []RunBlock `json:"blocks"`
}

// RunBlock is code that runs after its cut points.
type RunBlock struct {
	Name   string   `json:"name"`
	Waits  []string `json:"waits"`
	Starts []string `json:"starts"`
	Steps  int      `json:"steps"`
	Nodes  int      `json:"nodes"` // number of nodes in its computations
}

// Edge is a connection from one class to another.
type Edge struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
	Type  string `json:"type"`
	Pos   string `json:"pos,omitempty"`
	Depth int    `json:"depth"`
	Value int64  `json:"value_bytes"` // of one value
	Fills int    `json:"fills"`       // in a round
	Bytes int64  `json:"bytes"`       // of all of them on the wire
}

// maxProgramText limits the text of a program.
const maxProgramText = 1 << 20

func programOf(p *partitioner.Program, cost func(*partitioner.Program) *partitioner.Cost) *Program {
	out := &Program{Fingerprint: fmt.Sprintf("%x", p.Fingerprint), Edges: []Edge{}}
	if out.Text = partitioner.Print(p); len(out.Text) > maxProgramText {
		out.Text = out.Text[:maxProgramText] + "\n…\n"
	}
	for _, part := range p.Parts {
		c := Class{Name: part.Class, Slots: []Slot{}, Modules: []Module{}}
		for _, s := range part.Slots {
			c.Slots = append(c.Slots, Slot{s.Name, s.Role})
		}
		for _, m := range part.Modules {
			c.Modules = append(c.Modules, moduleOf(m))
		}
		out.Classes = append(out.Classes, c)
	}
	for _, e := range p.Edges {
		out.Edges = append(out.Edges, Edge{Name: e.Name, From: e.From, To: e.To, Type: clip(e.Type.String()), Pos: e.Pos, Depth: e.Depth})
	}
	if cost != nil {
		out.addCost(cost(p))
	}
	return out
}

func moduleOf(m *partitioner.Module) Module {
	out := Module{Name: m.Name, Opens: clip(m.Opens()), Blocks: []RunBlock{}}
	for _, b := range m.Blocks {
		x := RunBlock{Name: b.Name, Waits: cutNames(b.Wait), Starts: cutNames(b.Starts), Steps: len(b.Steps)}
		for _, s := range b.Steps {
			if s.Compute != nil {
				x.Nodes += len(s.Compute.Func.Body.Nodes)
			}
		}
		out.Blocks = append(out.Blocks, x)
	}
	return out
}

func cutNames(cuts []*partitioner.Cut) []string {
	out := make([]string, len(cuts))
	for i, c := range cuts {
		out[i] = clip(fmt.Sprint(c))
	}
	return out
}

// addCost adds the traffic of a round. The edges of a cost are in the program's order.
func (p *Program) addCost(c *partitioner.Cost) {
	p.Bytes, p.Seconds, p.Assumed = c.Bytes, c.Seconds, c.Assumed
	for i, e := range c.Edges[:min(len(c.Edges), len(p.Edges))] {
		x := &p.Edges[i]
		x.Value, x.Fills, x.Bytes = e.Value, e.Fills, e.Bytes
	}
}
