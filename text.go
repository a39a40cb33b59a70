package bbgen

import (
	"strings"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Text returns the result of the last stage as text: graphs, the use of memory, the cuts of a program, or
// what its peers keep.
func (r *Result) Text() string {
	switch {
	case r.Peers != nil:
		var text []string
		for _, p := range r.Peers {
			text = append(text, peerplan.Print(p))
		}
		return strings.Join(text, "\n")
	case r.Program != nil:
		return partitioner.Print(r.Program)
	case r.Trainer != nil:
		return r.Trainer.Step.Memory().String()
	case r.Plan != nil:
		return r.Plan.Memory().String()
	}
	var text []string
	for _, m := range r.Modules {
		text = append(text, ir.Print(m))
	}
	return strings.Join(text, "\n")
}
