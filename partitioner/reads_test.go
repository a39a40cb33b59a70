package partitioner_test

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// reads lists whose contents the steps of blocks read.
func reads(p *partitioner.Program) string {
	var out strings.Builder
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			for _, b := range m.Blocks {
				for i, s := range b.Steps {
					fmt.Fprintf(&out, "%s.%s.%d reads %s\n", m.Name, b.Name, i, named(s.Reads()))
				}
			}
		}
	}
	return out.String()
}

func named(vs []*ir.Value) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}
