package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Whole is memory of the peer for what child frames leave in files and a component
// takes whole: one at a time.
type Whole struct {
	Value *ir.Value
	Field string // of type peer
}

// addWholes names the memory that folds need.
func (p *Plan) addWholes(names scopes) {
	p.eachStep(func(s *partitioner.Step) {
		if s.Fold == nil || p.TakesLarge(s.Node) {
			return
		}
		v := s.Node.In[0]
		if x := p.frameOf[s.Fold].at[v]; x != nil && x.Stays && p.WholeOf(v) == nil {
			p.Wholes = append(p.Wholes, &Whole{v, names.fields.Local(p.ValueName(v))})
		}
	})
}

// WholeOf returns the memory for a value, nil if there is none.
func (p *Plan) WholeOf(v *ir.Value) *Whole {
	for _, w := range p.Wholes {
		if w.Value == v {
			return w
		}
	}
	return nil
}

// TakesLarge reports whether the method behind a fold takes a runtime.Large.
func (p *Plan) TakesLarge(n *ir.Node) bool {
	return p.SlotOf(n).Methods[PeerOp(n).Method].Large
}
