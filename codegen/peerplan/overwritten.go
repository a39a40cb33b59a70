package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// addOverwritten copies to fields the results of components that a later call on the same slot may overwrite
// before the block reads them for the last time.
func (f *Frame) addOverwritten(steps []partitioner.Step) {
	for i := range steps {
		s := &steps[i]
		slot := slotCalled(s)
		if slot == "" || s.Cut != nil {
			continue
		}
		for _, v := range s.Node.Out {
			if v != nil && mayChange(v) && isOverwritten(v, slot, steps[i+1:]) {
				f.Scratch = f.addField(f.Scratch, v, Scratch)
			}
		}
	}
}

// slotCalled returns the slot that a step calls, or "".
func slotCalled(s *partitioner.Step) string {
	if s.Node == nil || op.PeerOf(s.Node) == nil || s.Node.Attrs.Lookup(peer.SlotAttr) == nil {
		return ""
	}
	return s.Node.Str(peer.SlotAttr)
}

// mayChange reports whether a component may still write to the memory of a value that it has returned.
func mayChange(v *ir.Value) bool {
	return !isGiven(v) && (v.Type.Equal(peer.Peers) || v.Type.Kind == ir.Tensor && !IsScalar(v.Type))
}

// isOverwritten reports whether one of the following steps reads a value, under any name, after a call on its
// slot.
func isOverwritten(v *ir.Value, slot string, steps []partitioner.Step) bool {
	names, called := []*ir.Value{v}, false
	for i := range steps {
		s := &steps[i]
		if called && slices.ContainsFunc(s.Reads(), func(x *ir.Value) bool { return slices.Contains(names, x) }) {
			return true
		}
		if other, of := sameAs(s); other != nil && slices.Contains(names, of) {
			names = append(names, other)
		}
		called = called || s.Cut == nil && slotCalled(s) == slot
	}
	return false
}
