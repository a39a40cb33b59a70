package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Trunc is x rounded towards 0.
var Trunc = &op.Op{
	Name:    "Trunc",
	Domain:  op.Tensors,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "x", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   op.InferSame,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("Trunc"),
	InPlace: true,
	Widen:   true,
}
