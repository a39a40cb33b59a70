package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// Whole is a buffer of the peer into which values that child frames keep in files are read, one at a time,
// for a component that takes them as a whole.
type Whole struct {
	Value *ir.Value
	Field string // the field of type peer
}

// addWholes names the buffers that folds need.
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

// WholeOf returns the buffer for a value, or nil.
func (p *Plan) WholeOf(v *ir.Value) *Whole {
	for _, w := range p.Wholes {
		if w.Value == v {
			return w
		}
	}
	return nil
}

// TakesLarge reports whether the method called by a fold takes a values.Large.
func (p *Plan) TakesLarge(n *ir.Node) bool {
	return p.SlotOf(n).Methods[op.PeerOf(n).Method].Large
}
