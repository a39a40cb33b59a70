package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// placeRest places the values that are not fields, such as variables of blocks.
func (f *Frame) placeRest() {
	f.eachStep(func(s *partitioner.Step) {
		if v, of := sameAs(s); v != nil && f.at[v] == nil {
			f.addRest(&Var{Value: v, Place: Same, Of: of})
		}
	})
	f.eachStep(func(s *partitioner.Step) {
		for _, v := range s.Reads() {
			if f.at[v] == nil && !v.IsConst() && !peer.IsTrigger(v) && !f.isChilds(s, v) {
				f.addRest(&Var{Value: v, Place: Local, Given: isGiven(v)})
			}
		}
	})
}

func (f *Frame) addRest(x *Var) { f.at[x.Value], f.Rest = x, append(f.Rest, x) }

// isChilds reports whether a step reads a value from the child frames that it folds.
func (f *Frame) isChilds(s *partitioner.Step, v *ir.Value) bool {
	return s.Fold != nil && f.Plan.frameOf[s.Fold].Has(v)
}
