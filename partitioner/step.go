package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Computation returns the computation that a step runs, directly or as a command, or nil.
func (s *Step) Computation() *Compute {
	if s.Compute == nil && s.Cut != nil {
		return s.Cut.Body
	}
	return s.Compute
}

// Reads returns the values whose content a step reads, including constants.
func (s *Step) Reads() []*ir.Value {
	var out []*ir.Value
	switch {
	case s.Node == nil:
	case op.PeerKindOf(s.Node) == op.KindOrder: // the others must only be present
		if v := s.Node.Out[0]; v != nil && !peer.IsTrigger(v) {
			out = append(out, s.Node.In[0])
		}
	case s.Edge != nil && s.Edge.Trigger: // the value is not sent
		out = append(out, s.Node.In[1:]...)
	default:
		out = append(out, s.Node.In...)
	}
	if c := s.Computation(); c != nil {
		out = append(out, c.Args...)
	}
	if s.Cut != nil && s.Cut.Peers != nil {
		out = append(out, s.Cut.Peers)
	}
	return slices.DeleteFunc(out, func(v *ir.Value) bool { return v == nil })
}

// needs returns the values that must be there before a step, whether it reads their content or not. Frames keep
// them until then.
func (s *Step) needs() []*ir.Value {
	switch {
	case s.Compute != nil:
		return s.Compute.Args
	case s.Node == nil:
		return nil
	}
	return reads(s.Node)
}

// reads returns the values that a node and its regions read, except constants.
func reads(n *ir.Node) []*ir.Value {
	return (&ir.Region{Nodes: []*ir.Node{n}}).Captures()
}
