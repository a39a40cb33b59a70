package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Program is the report on a distributed program.
type Program struct {
	Fingerprint string              `json:"fingerprint"`
	Classes     []Class             `json:"classes"`
	Edges       []Edge              `json:"edges"`
	Stages      []partitioner.Stage `json:"stages,omitempty"`  // of a model that is split
	Assumed     map[string]int      `json:"assumed,omitempty"` // the sizes by which it is split
}

// Class is a class of peers and what they run.
type Class struct {
	Name       string     `json:"name"`
	Slots      []Slot     `json:"slots"`
	Activities []Activity `json:"activities"`
	Modules    []Module   `json:"modules,omitempty"` // how the activities are cut, if requested
}

// Slot is a place for a component.
type Slot struct {
	Name      string `json:"name"`
	Role      string `json:"role"`
	Component string `json:"component"`
}

// Activity is the part of one execution on a peer.
type Activity struct {
	Name   string `json:"name"`
	Opens  string `json:"opens"` // what opens it
	Blocks int    `json:"blocks"`
	Inputs []Port `json:"inputs,omitempty"` // of the host
}

// Edge is a connection from one class to another.
type Edge struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
	ID   string `json:"id"`
	Pos  string `json:"pos"`
}

// program reports on a program, or on a model that is cut into stages, without loading components.
func (r *Report) program(m *ir.Module, c bbgen.Config) {
	r.Inputs, r.Outputs = []Port{}, []Port{}
	if c.Cut == nil {
		c.Cut = new(bbgen.Cut)
	}
	c.Cut.Unbound = true
	compiled, err := bbgen.Compile(m, c)
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.cut, r.Program = compiled, programOf(compiled.Program)
	r.Warnings = slices.Concat(compiled.Warnings, compiled.Stale)
	if compiled.Stages != nil {
		r.Program.Stages, r.Program.Assumed = compiled.Stages.Stages, compiled.Stages.Assumed
	}
}

// programOf describes a cut program.
func programOf(p *partitioner.Program) *Program {
	out := &Program{Fingerprint: fmt.Sprintf("%x", p.Fingerprint)}
	for _, part := range p.Parts {
		c := Class{Name: part.Class}
		for _, s := range part.Slots {
			c.Slots = append(c.Slots, Slot{s.Name, s.Role, component(s.Binding)})
		}
		for _, mod := range part.Modules {
			if mod.Parent == nil {
				c.Activities = append(c.Activities, activity(mod))
			}
		}
		out.Classes = append(out.Classes, c)
	}
	for _, e := range p.Edges {
		typ := e.Text[strings.LastIndexByte(e.Text, '\n')+1:] // the canonical type
		if e.Trigger {
			typ = "nothing"
		}
		out.Edges = append(out.Edges, Edge{e.Name, e.From, e.To, typ, fmt.Sprintf("%016x", uint64(e.ID)), e.Pos})
	}
	return out
}

func component(b *artifact.Binding) string {
	switch {
	case b == nil:
		return ""
	case b.Model != "":
		return b.Model
	case b.Type == "":
		return ""
	}
	return b.Package + "." + b.Type
}

// activity describes a module and what opens it.
func activity(m *partitioner.Module) Activity {
	a := Activity{Name: m.Name, Opens: m.Opens(), Blocks: len(m.Blocks)}
	if m.Rounds == 0 {
		for _, c := range m.Inputs {
			a.Inputs = append(a.Inputs, Port{c.Name, c.Values[0].Type.String()})
		}
	}
	return a
}

func (p *Program) print(w io.Writer) {
	fmt.Fprintf(w, "fingerprint %s\n", p.Fingerprint[:min(16, len(p.Fingerprint))])
	for _, c := range p.Classes {
		fmt.Fprintf(w, "class       %s\n", c.Name)
		for _, s := range c.Slots {
			component := s.Component
			if component == "" {
				component = "nothing"
			}
			fmt.Fprintf(w, "  slot      %s (%s): %s\n", s.Name, s.Role, component)
		}
		for _, a := range c.Activities {
			fmt.Fprintf(w, "  activity  %s: %s, blocks %d\n", a.Name, a.Opens, a.Blocks)
			for _, in := range a.Inputs {
				fmt.Fprintf(w, "    input   %s %s\n", in.Name, in.Type)
			}
		}
	}
	for _, e := range p.Edges {
		fmt.Fprintf(w, "edge        %s -> %s: %s (%s)\n", e.Name, e.To, e.Type, e.Pos)
	}
}
