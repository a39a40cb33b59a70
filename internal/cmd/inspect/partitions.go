package inspect

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Module is an activity, or the part of one that runs once for each peer of a set, as it is cut.
type Module struct {
	Name   string   `json:"name"`
	Opens  string   `json:"opens"`
	Fields []string `json:"fields,omitempty"` // the values that outlive the block that computes them
	Cuts   []Cut    `json:"cuts"`
	Blocks []Block  `json:"blocks"`
}

// Cut is a cut point: what a module waits for. Its number is its index.
type Cut struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Values []Port `json:"values,omitempty"`
	Edge   string `json:"edge,omitempty"`
	Slot   string `json:"slot,omitempty"`
	Child  string `json:"child,omitempty"` // the module that runs for each peer of a gather
}

// Block is what a module does when its cut points have come.
type Block struct {
	Name   string   `json:"name"`
	Waits  []int    `json:"waits,omitempty"`  // the numbers of cut points
	Any    bool     `json:"any,omitempty"`    // one of these is enough
	Starts []int    `json:"starts,omitempty"` // the numbers of the cut points that it starts
	Ops    int      `json:"ops"`
	Steps  []string `json:"steps"`
}

// partition adds to the report how the program is cut.
func (r *Report) partition() error {
	switch {
	case r.cut == nil && r.Error != "":
		return errors.New(r.Error)
	case r.cut == nil:
		return cut.NotCut(r.File)
	}
	for i, part := range r.cut.Program.Parts {
		for _, m := range part.Modules {
			r.Program.Classes[i].Modules = append(r.Program.Classes[i].Modules, moduleOf(m))
		}
	}
	return nil
}

// printPartitions prints how the program is cut.
func (r *Report) printPartitions(w io.Writer) {
	if s := r.cut.Stages; s != nil {
		fmt.Fprintln(w, s)
	}
	fmt.Fprint(w, partitioner.Print(r.cut.Program))
}

func moduleOf(m *partitioner.Module) Module {
	out := Module{Name: m.Name, Opens: m.Opens(), Fields: namesOf(m.Fields), Cuts: []Cut{}, Blocks: []Block{}}
	for _, c := range m.Cuts {
		out.Cuts = append(out.Cuts, cutOf(c))
	}
	for _, b := range m.Blocks {
		x := Block{Name: b.Name, Waits: indices(b.Wait), Any: b.Any, Starts: indices(b.Starts), Ops: b.Ops}
		for _, s := range b.Steps {
			x.Steps = append(x.Steps, s.String())
		}
		out.Blocks = append(out.Blocks, x)
	}
	return out
}

func cutOf(c *partitioner.Cut) Cut {
	kind, _, _ := strings.Cut(c.String(), " ")
	out := Cut{Kind: kind, Name: c.Name, Values: ports(c.Values)}
	if c.Edge != nil {
		out.Edge = c.Edge.Name
	}
	if c.Slot != nil {
		out.Slot = c.Slot.Name
	}
	if c.Child != nil {
		out.Child = c.Child.Name
	}
	return out
}

func indices(cuts []*partitioner.Cut) (list []int) {
	for _, c := range cuts {
		list = append(list, c.Index)
	}
	return list
}

func namesOf(values []*ir.Value) (list []string) {
	for _, v := range values {
		list = append(list, v.Name)
	}
	return list
}
