package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
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
		passed := f.passed(s)
		for _, v := range s.Reads() {
			if v != passed || op.PeerKindOf(s.Node) != op.KindOrder && slices.Contains(s.Node.In[1:], v) {
				f.reads(v, names)
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
	f.readThrough(names)
}

// passed returns the input of a step that it only passes on, and does not read unless its output is read. It returns nil
// if there is none.
func (f *Frame) passed(s *partitioner.Step) *ir.Value {
	if o := op.PeerOf(s.Node); o != nil && o.Kind == op.KindWait && o.Pass && !f.at[s.Node.Out[0]].IsField() {
		return s.Node.In[0]
	}
	_, of := sameAs(s)
	return of
}

// reads notes that code reads v.
func (f *Frame) reads(v *ir.Value, names scopes) {
	f.read[v] = true
	if v.IsConst() && len(v.Const.Shape) > 0 {
		f.Plan.addConstant(v, names)
	}
}

// readThrough notes which values are read by other names. A value whose other name nobody reads is in no code: it must only
// be present.
func (f *Frame) readThrough(names scopes) {
	for more := true; more; {
		more = false
		f.eachStep(func(s *partitioner.Step) {
			if v, of := sameAs(s); v != nil && of != nil && !f.read[of] && f.IsRead(v) {
				f.reads(of, names)
				more = true
			}
		})
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
