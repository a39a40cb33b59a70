package bbgen

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Text returns the result of the last stage as text: graphs, the components in slots, the cuts of a program and the graph
// that they are of, the use of memory, what peers keep, or the names and sizes of the generated files.
func (r *Result) Text() string {
	switch {
	case r.Files != nil:
		return r.files()
	case r.Parts != nil:
		return r.parts()
	case r.Peers != nil:
		var text []string
		for _, p := range r.Peers {
			text = append(text, peerplan.Print(p))
		}
		return strings.Join(text, "\n")
	case r.Program != nil:
		return partitioner.Print(r.Program) + "\n" + r.graphs()
	case r.Trainer != nil:
		return r.Trainer.Step.Memory().String()
	case r.Plan != nil:
		return r.Plan.Memory().String()
	case r.bound != "":
		return r.bound
	}
	return r.graphs()
}

// graphs returns the text of each graph, one after the other.
func (r *Result) graphs() string {
	var text []string
	for _, m := range r.Modules {
		text = append(text, ir.Print(m))
	}
	return strings.Join(text, "\n")
}

// files lists the files with their sizes in bytes.
func (r *Result) files() string {
	var b strings.Builder
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%9d  %s\n", f.Len(), f.Path)
	}
	return b.String()
}

// parts returns the text of each part, one after the other.
func (r *Result) parts() string {
	var text []string
	for _, p := range r.Parts {
		text = append(text, p.Text())
	}
	return strings.Join(text, "\n")
}
