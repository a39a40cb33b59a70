package interpret

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Peer is a peer of a class.
type Peer struct {
	Class string
	Rank  int
}

// Peers are all peers that there are.
type Peers []*Peer

// Of returns the peers of a class.
func (all Peers) Of(class string) []*Peer {
	var out []*Peer
	for _, p := range all {
		if p.Class == class {
			out = append(out, p)
		}
	}
	return out
}

// Named returns the result of a node that names peers on p, or nil for other nodes.
func (all Peers) Named(n *ir.Node, p *Peer) any {
	o := op.PeerOf(n)
	switch {
	case o == nil:
	case o.All:
		return all.Of(n.Str("class"))
	case o.InTurn:
		peers := all.Of(n.Str("class"))
		return peers[:min(len(peers), 1)]
	case o.Itself:
		return p
	}
	return nil
}

// List returns the peers of a value: one peer, several, or none if nobody has named any.
func List(v any) []*Peer {
	switch v := v.(type) {
	case nil:
		return nil
	case *Peer:
		return []*Peer{v}
	}
	return v.([]*Peer)
}
