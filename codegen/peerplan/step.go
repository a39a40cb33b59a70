package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// sameAs returns a value of a step that is another name, and the value that it names. It returns nil if the
// step does not rename.
func sameAs(s *partitioner.Step) (v, of *ir.Value) {
	o := op.PeerOf(s.Node)
	switch {
	case o == nil:
		return nil, nil
	case o.Kind == op.KindOrder, o.Kind == op.KindService && o.Pass && !o.Held:
		if v := s.Node.Out[0]; v != nil && !peer.IsTrigger(v) {
			return v, s.Node.In[0]
		}
	}
	return nil, nil
}

// isGiven reports whether a value is the result of a call that gives its memory away.
func isGiven(v *ir.Value) bool {
	o := op.PeerOf(v.Def)
	return o != nil && o.GivesAway
}
