package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Atan2].
const (
	atan2Y = iota
	atan2X
)

// Atan2 is the angle of the point (x, y), with numpy's broadcasting.
var Atan2 = &op.Op{
	Name:    "Atan2",
	Domain:  op.Tensors,
	Since:   []int{1},
	Inputs:  []op.Port{atan2Y: {Name: "y", Types: elem.Floats}, atan2X: {Name: "x", Like: "y"}},
	Outputs: []op.Port{{Name: "angle", Like: "y"}},
	Infer:   op.InferBinary,
	Grad:    atan2Grad,
	Lower:   op.Binary("Atan2"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
}

// dy = da·x/(x²+y²), dx = -da·y/(x²+y²)
func atan2Grad(b *ir.Builder, n *ir.Node, da []*ir.Value) []*ir.Value {
	y, x := n.In[atan2Y], n.In[atan2X]
	q := b.Op("Div", da[0], b.Op("Add", b.Op("Mul", x, x), b.Op("Mul", y, y)))
	return []*ir.Value{op.Unbroadcast(b, b.Op("Mul", q, x), y), op.Unbroadcast(b, b.Op("Neg", b.Op("Mul", q, y)), x)}
}
