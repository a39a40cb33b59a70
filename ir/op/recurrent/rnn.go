package recurrent

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// RNN is the simple recurrent layer, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__RNN.html
var RNN = &op.Op{
	Name:  "RNN",
	Since: []int{1, 7, 14, 22},
	Attrs: []op.Attr{
		{Name: "activation_alpha", Kind: op.Floats},
		{Name: "activation_beta", Kind: op.Floats},
		{Name: "activations", Kind: op.Strings, Default: []string{"Tanh", "Tanh"}},
		{Name: "clip", Kind: op.Float, Default: 0.0},
		{Name: "direction", Kind: op.String, Default: "forward", Values: directions},
		{Name: "hidden_size", Kind: op.Int},
		{Name: "layout", Kind: op.Int, Default: 0, Since: 14},
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
	Infer:   inferRecurrent(1, 1),
	Upgrade: upgradeRecurrent,
	Lower:   lowerRecurrent("RNN", 1),
	Expand:  expandRecurrent(1, 1, rnnStep),
	Expands: op.Never,
	Widen:   true,
	FLOPs:   recurrentWork(1),
}

// h = F(gx + h·Rᵀ + Rb)
func rnnStep(c *cell, states []*ir.Value, gx *ir.Value) []*ir.Value {
	g := c.plus(c.Op("Add", gx, c.Op("MatMul", states[0], c.rec)), c.rb)
	return []*ir.Value{c.gate("F", g, true)}
}
