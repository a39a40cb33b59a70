package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Outputs returns the names under which the partition gives values to its host, sorted.
func (p *Partition) Outputs() (names []string) {
	for _, m := range p.Modules {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				if o := op.PeerOf(s.Node); o != nil && o.Told {
					names = append(names, s.Node.Str(peer.NameAttr))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
