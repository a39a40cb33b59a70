package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// PeerOp returns the entry in the operator table for a node's action on a peer, or nil if it computes.
func PeerOp(n *ir.Node) *op.Peer {
	if n == nil {
		return nil
	}
	if o := op.Lookup(n); o != nil {
		return o.Peer
	}
	return nil
}

// KindOf returns the kind of a node, or 0 if it computes.
func KindOf(n *ir.Node) op.PeerKind {
	if o := PeerOp(n); o != nil {
		return o.Kind
	}
	return 0
}

// reads returns the values that a step reads.
func reads(s *partitioner.Step) []*ir.Value {
	var out []*ir.Value
	switch {
	case s.Node == nil:
	case KindOf(s.Node) == op.KindOrder: // the others must only be present
		if v := s.Node.Out[0]; v != nil && !IsTrigger(v) {
			out = append(out, s.Node.In[0])
		}
	case s.Edge != nil && s.Edge.Trigger: // the value is not sent
		out = append(out, s.Node.In[1:]...)
	default:
		out = append(out, s.Node.In...)
	}
	if c := ComputeOf(s); c != nil {
		out = append(out, c.Args...)
	}
	if s.Cut != nil && s.Cut.Peers != nil {
		out = append(out, s.Cut.Peers)
	}
	return slices.DeleteFunc(out, func(v *ir.Value) bool { return v == nil })
}
