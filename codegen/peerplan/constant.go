package peerplan

import (
	"github.com/bbgen/bbgen/ir"
)

// Constant is a tensor that steps read, beside those of computations.
type Constant struct {
	Value *ir.Value
	Field string // of type peer
	Off   int    // in weights.bin, but for strings, which stand in the code
}

// addConstant names a constant that a step reads.
func (p *Plan) addConstant(v *ir.Value, names scopes) {
	if p.constantOf[v] == nil {
		c := &Constant{Value: v, Field: names.fields.Local(p.ValueName(v))}
		p.Constants, p.constantOf[v] = append(p.Constants, c), c
	}
}

// ConstantOf returns how the peer has a constant, nil if code writes it as a number.
func (p *Plan) ConstantOf(v *ir.Value) *Constant { return p.constantOf[v] }

// placeWeights lays out weights.bin: the constants of each computation, then those
// that steps read themselves, then the graphs of backends.
func (p *Plan) placeWeights() {
	for _, c := range p.Computes {
		c.Base = p.place(c.Plan.WeightsFile())
	}
	for _, c := range p.Constants {
		if !IsStrings(c.Value.Type) {
			c.Off = p.place(c.Value.Const.Bytes())
		}
	}
	for _, g := range p.Graphs {
		g.Off = p.place(g.Model)
	}
}

// alignment is that of what stands in weights.bin: kernels read whole cache lines.
const alignment = 64

// place appends bytes to the weights and returns where they stand.
func (p *Plan) place(b []byte) int {
	off := len(p.Weights)
	p.Weights = append(p.Weights, b...)
	p.Weights = append(p.Weights, make([]byte, -len(b)&(alignment-1))...)
	return off
}
