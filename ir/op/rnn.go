package op

import "github.com/bbgen/bbgen/ir"

// RNN is the simple recurrent layer, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__RNN.html
var RNN = &Op{
	Name:    "RNN",
	Since:   []int{1, 7, 14, 22},
	In:      Arity{3, 6},
	Out:     Arity{0, 2},
	Infer:   inferRecurrent(1, 1),
	Upgrade: upgradeRecurrent,
	Lower:   lowerRecurrent("RNN", 1),
	Expand:  expandRecurrent(1, 1, rnnStep),
	Expands: never,
	Widen:   true,
	FLOPs:   recurrentWork(1),
}

// h = F(gx + h·Rᵀ + Rb)
func rnnStep(c *cell, states []*ir.Value, gx *ir.Value) []*ir.Value {
	g := c.plus(c.Op("Add", gx, c.Op("MatMul", states[0], c.rec)), c.rb)
	return []*ir.Value{c.gate("F", g, true)}
}
