package op

import "github.com/bbgen/bbgen/ir"

// Atan2 is the angle of the point (x, y), with numpy's broadcasting.
var Atan2 = &Op{
	Name:    "Atan2",
	Domain:  Tensors,
	Since:   []int{1},
	Inputs:  []Port{{Name: "y", Types: floats}, {Name: "x", Like: "y"}},
	Outputs: []Port{{Name: "angle", Like: "y"}},
	Infer:   inferBinary,
	Grad:    atan2Grad,
	Lower:   binary("Atan2"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
}

// dy = da·x/(x²+y²), dx = -da·y/(x²+y²)
func atan2Grad(b *ir.Builder, n *ir.Node, da []*ir.Value) []*ir.Value {
	y, x := n.In[0], n.In[1]
	q := b.Op("Div", da[0], b.Op("Add", b.Op("Mul", x, x), b.Op("Mul", y, y)))
	return []*ir.Value{unbroadcast(b, b.Op("Mul", q, x), y), unbroadcast(b, b.Op("Neg", b.Op("Mul", q, y)), x)}
}
