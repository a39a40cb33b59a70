package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// collect finds the values that steps read, and those that are fields.
func (f *Frame) collect(names scopes) {
	for _, v := range f.Module.Fields {
		if !peer.IsTrigger(v) {
			f.Kept = f.addField(f.Kept, v, Kept)
		}
	}
	f.eachStep(func(s *partitioner.Step) {
		for _, v := range s.Reads() {
			f.read[v] = true
			if v.IsConst() && len(v.Const.Shape) > 0 {
				f.Plan.addConstant(v, names)
			}
		}
		c := s.Computation()
		if c == nil {
			return
		}
		for _, v := range slices.Concat(c.Args, c.Outs) { // their addresses are passed
			if !v.IsConst() && (IsScalar(v.Type) || slices.Contains(c.Outs, v)) {
				f.Scratch = f.addField(f.Scratch, v, Scratch)
			}
		}
	})
	f.eachStep(f.addFilled)
	for _, b := range f.Module.Blocks {
		f.addOverwritten(b.Steps)
	}
}

// addFilled makes fields of the values that services fill in place: lists of peers, and contents of stores.
func (f *Frame) addFilled(s *partitioner.Step) {
	if op.PeerKindOf(s.Node) != op.KindService {
		return
	}
	for _, v := range s.Node.Out {
		if v != nil && (v.Type.Equal(peer.Peers) || op.PeerOf(s.Node).Held && !peer.IsTrigger(v)) {
			f.Scratch = f.addField(f.Scratch, v, Scratch)
		}
	}
}

// nameFields gives fields the author's names.
func (f *Frame) nameFields() {
	s := ident.NewScope("peer")
	for _, b := range f.Blocks {
		s.Take(b.Const)
	}
	for _, x := range slices.Concat(f.Kept, f.Scratch) {
		x.Field = s.Local(f.Plan.ValueName(x.Value))
	}
}
