package partitioner

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// kind returns the kind of a node on a peer, or 0 if it computes.
func kind(n *ir.Node) op.PeerKind {
	if o := op.Lookup(n); o != nil && o.Peer != nil {
		return o.Peer.Kind
	}
	return 0
}

// reads returns the values that a node and its regions read, except constants.
func reads(n *ir.Node) []*ir.Value {
	return (&ir.Region{Nodes: []*ir.Node{n}}).Captures()
}
