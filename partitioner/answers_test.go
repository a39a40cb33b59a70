package partitioner_test

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/partitioner"
)

// receivers has the names of [partitioner.Receivers] in goldens.
var receivers = map[partitioner.Receivers]string{
	partitioner.ToSender: "the sender of", partitioner.ToClass: "all of class", partitioner.ToInTurn: "in turn one of class",
	partitioner.ToSelf: "itself", partitioner.ToSome: "some of class",
}

// sends lists who receives what blocks send, and what partitions give to their hosts.
func sends(p *partitioner.Program) string {
	var out strings.Builder
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			for _, b := range m.Blocks {
				for _, s := range m.Sendings(b) {
					to := s.Class
					if s.Cut != nil {
						to = s.Cut.Name
					}
					fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s sends %s to %s %s", b.Name, s.Edge.Name, receivers[s.To], to)))
				}
			}
		}
		fmt.Fprintf(&out, "%s gives %q\n", part.Class, part.Outputs())
	}
	return out.String()
}
