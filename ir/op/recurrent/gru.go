package recurrent

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GRU is a layer of gated recurrent units, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__GRU.html
var GRU = &op.Op{
	Name:  "GRU",
	Since: []int{1, 3, 7, 14, 22},
	Attrs: []op.Attr{
		{Name: "activation_alpha", Kind: op.Floats},
		{Name: "activation_beta", Kind: op.Floats},
		{Name: "activations", Kind: op.Strings},
		{Name: "clip", Kind: op.Float, Default: 0.0},
		{Name: "direction", Kind: op.String, Default: "foward", Until: 3},
		{Name: "direction", Kind: op.String, Default: "forward", Values: directions, Since: 3},
		{Name: "hidden_size", Kind: op.Int},
		{Name: "layout", Kind: op.Int, Default: 0, Since: 14},
		{Name: "linear_before_reset", Kind: op.Int, Default: 0, Since: 3},
		{Name: "output_sequence", Kind: op.Int, Default: 0, Until: 7},
	},
	Inputs: []op.Port{
		recurrentX:            {Name: "X", Types: elem.Floats},
		recurrentW:            {Name: "W", Like: "X"},
		recurrentR:            {Name: "R", Like: "X"},
		recurrentB:            {Name: "B", Like: "X", Optional: true},
		recurrentSequenceLens: {Name: "sequence_lens", Types: elem.Int32s, Optional: true},
		recurrentInitialH:     {Name: "initial_h", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X", Optional: true}, {Name: "Y_h", Like: "X", Optional: true}},
	Infer:   inferRecurrent(3, 1),
	Upgrade: upgradeRecurrent,
	Lower:   lowerRecurrent("GRU", 3),
	Expand:  expandRecurrent(3, 1, gruStep),
	Expands: op.Never,
	Widen:   true,
	FLOPs:   recurrentWork(3),
}

// z, r = F(gx + h·Rᵀ + Rb), n = G(gx + (r∘h)·Rᵀ + Rb), h = (1-z)∘n + z∘h
//
// or, with linear_before_reset, n = G(gx + r∘(h·Rᵀ + Rb))
func gruStep(c *cell, states []*ir.Value, gx *ir.Value) []*ir.Value {
	h, n := states[0], c.hidden
	cut := func(v *ir.Value) (zr, rest *ir.Value) {
		parts := c.OpN("Split", 2, op.Attrs("axis", len(op.Shape(v))-1), v, c.Ints(2*n, n))
		return parts[0], parts[1]
	}
	gxZR, gxN := cut(gx)
	recZR, recN := cut(c.rec)
	var rbZR, rbN *ir.Value
	if c.rb != nil {
		rbZR, rbN = cut(c.rb)
	}
	zr := c.gate("F", c.plus(c.Op("Add", gxZR, c.Op("MatMul", h, recZR)), rbZR), true)
	gates := c.split(zr, 2)
	z, r := gates[0], gates[1]
	var inner *ir.Value
	if c.n.Int("linear_before_reset") != 0 {
		inner = c.Op("Mul", r, c.plus(c.Op("MatMul", h, recN), rbN))
	} else {
		inner = c.plus(c.Op("MatMul", c.Op("Mul", r, h), recN), rbN)
	}
	v := c.gate("G", c.Op("Add", gxN, inner), true)
	keep := c.Op("Mul", z, c.Op("Sub", h, v)) // (1-z)∘v + z∘h = v + z∘(h-v)
	return []*ir.Value{c.Op("Add", v, keep)}
}
