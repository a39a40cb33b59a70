package peerplan

import "github.com/bbgen/bbgen/ir"

// Constant is a tensor that steps read outside of computations.
type Constant struct {
	Value *ir.Value
	Field string // the field of type peer
	Off   int    // offset in weights.bin, except for strings, which are in the code
}

// addConstant names a constant that a step reads.
func (p *Plan) addConstant(v *ir.Value, names scopes) {
	if p.constantOf[v] == nil {
		c := &Constant{Value: v, Field: names.fields.Local(p.ValueName(v))}
		p.Constants, p.constantOf[v] = append(p.Constants, c), c
	}
}

// ConstantOf returns the peer's entry for a constant, or nil if it is a number in the code.
func (p *Plan) ConstantOf(v *ir.Value) *Constant { return p.constantOf[v] }

// placeWeights lays out weights.bin: the constants of each computation, followed by those that steps read
// directly and by the graphs of backends.
func (p *Plan) placeWeights() {
	for _, c := range p.Computes {
		c.Base = p.nextOffset()
		p.Weights.PutAll(c.Base, c.Plan.WeightsFile())
	}
	for _, c := range p.Constants {
		if !IsStrings(c.Value.Type) {
			c.Off = p.place(c.Value.Const.Bytes())
		}
	}
	for _, g := range p.Graphs {
		g.Off = p.place(g.Model)
	}
	p.Weights.Extend(p.nextOffset())
}

// alignment is the alignment in weights.bin. It is a cache line, as kernels read whole ones.
const alignment = 64

// nextOffset returns the offset of what is placed next.
func (p *Plan) nextOffset() int { return (p.Weights.Len + alignment - 1) &^ (alignment - 1) }

// place adds bytes to the weights and returns their offset.
func (p *Plan) place(b []byte) int {
	off := p.nextOffset()
	p.Weights.Put(off, b)
	return off
}
